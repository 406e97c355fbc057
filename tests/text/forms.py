"""Secrets in the forms in which people and programs write them, and innocent things that look like them.

A line is a text; ``\\n`` in it begins a new line, and a kind in braces stands for a value that ``build`` makes anew, so that
no secret, not even an invented one, stands in this file.
"""

from __future__ import annotations

import base64
import random
import re
import string
import uuid

_KIND = re.compile(r"\{(pw|pws|word|sym|words12|pem1?|uuid|(?:hex|abc|b62_|B32_|low|UP|b64_|u64_|dig)\d+)\}")
_ALPHABETS = {
    "hex": "0123456789abcdef",
    "b62_": string.ascii_letters + string.digits,
    "B32_": "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
    "low": string.ascii_lowercase * 2 + string.digits,
    "UP": string.ascii_uppercase * 2 + string.digits,
    "dig": "123456789",
    "abc": string.ascii_lowercase,
}
_SEED = (
    "abandon ability able about above absent absorb abstract absurd abuse access accident achieve acid across zebra zone wolf"
)


def build(form: str, seed: str) -> tuple[str, list[str]]:
    """A form with values in it, and these values; the same seed gives the same ones."""
    dice, values = random.Random(seed), list[str]()

    def value(kind: re.Match[str]) -> str:
        values.append(_made(kind[1], dice))
        return values[-1]

    return _KIND.sub(value, form.replace("\\n", "\n")), values


def _made(kind: str, dice: random.Random) -> str:
    name, size = kind.rstrip(string.digits), int(re.sub(r"\D+", "", kind.partition("_")[2] or kind) or 0)
    if name in ("b64_", "u64_"):
        data = dice.randbytes(size)
        return base64.b64encode(data).decode() if name == "b64_" else base64.urlsafe_b64encode(data).decode().rstrip("=")
    if name in _ALPHABETS:
        sure = {"b62_": "9xQ", "low": "7", "UP": "7"}.get(name, "")
        return _some(dice, _ALPHABETS[name], size - len(sure)) + sure
    if name == "pem":
        body = [base64.b64encode(dice.randbytes(48)).decode() for _ in range(6)]
        return "\n".join(["MIIE" + body[0][4:], *body[1:]]) if not size else "".join(body) + body[0]
    words = {
        "pw": f"{dice.choice(('Sommer', 'Tiger', 'Falke', 'blue', 'qwert'))}{_some(dice, string.digits, 2)}"
        f"{dice.choice('!#%*?')}{_some(dice, string.ascii_letters, 3)}",
        "pws": _some(dice, string.ascii_lowercase, 5) + _some(dice, string.digits, 2),
        "word": dice.choice(("tigerlily", "swordfish", "letmeinnow", "opensesame", "blaubeere", "correcthorse")),
        "sym": "@".join((_some(dice, string.ascii_letters, 4), _some(dice, string.ascii_letters, 3) + "$x4!")),
        "uuid": str(uuid.UUID(int=dice.getrandbits(128))),
        "words": " ".join(dice.choice(_SEED.split()) for _ in range(12)),
    }
    return words[name]


def _some(dice: random.Random, alphabet: str, size: int) -> str:
    return "".join(dice.choice(alphabet) for _ in range(size))


SECRETS = r'''
mysql -u root \\n  -p{word} app
curl -u \\n  anna:{pws} https://x
PASSWORD=$(cat <<EOF\n{pws}\nEOF\n)
prog --password \\n  {pws} \\n  --host x
auth = (\n    "admin",\n    "{pws}",\n)
session.auth = HTTPDigestAuth(\n    "svc", "{word}"\n)
db.internal:*:*:app:{word}
{{ lookup('env', 'DB_PASSWORD') | default('{pws}') }}
std::env::var("TOKEN").unwrap_or("{pws}".to_string())
ASP.NET_SessionId={abc12}7{abc11}
token = SecretStr("{b62_24}")
PASSWORD = (\n    "{pw}"\n)
passwords["anna"] = "{pws}"
npx vsce publish -p {low52}
terraform output -raw db_password\n{pw}
kubeseal --raw --from-file=<(printf '{pw}')
+ echo '{pw}'\n+ docker login --username ci --password-stdin
AWS_ACCESS_KEY_ID=AKIA{UP16}
aws_secret_access_key = {b64_30}
aws_session_token={b64_90}
{"AccessKeyId": "ASIAX", "SecretAccessKey": "{b64_30}"}
export AWS_SECRET_ACCESS_KEY="{b64_30}"
the secret access key of the staging account: {b64_30}
AZURE_CLIENT_SECRET={b62_3}~{b62_34}
DefaultEndpointsProtocol=https;AccountName=app;AccountKey={b64_64};EndpointSuffix=core.windows.net
https://app.blob.core.windows.net/c/f.txt?sv=2022-11-02&sr=b&se=2026-01-01&sig={b64_32}
https://app.blob.core.windows.net/c?sp=r&sig={u64_32}%3D
Endpoint=sb://bus.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={b64_32}
Server=tcp:db.example.com,1433;Initial Catalog=x;User ID=sa;Password={pw};Encrypt=True
Data Source=db;User Id=app;Pwd={pw};
"private_key": "-----BEGIN PRIVATE KEY-----\n{pem1}\n-----END PRIVATE KEY-----\n"
GOOGLE_API_KEY=AIza{u64_26}
ya29.{u64_60}
1//0{u64_45} is the refresh token
"client_secret": "GOCSPX-{u64_21}"
FIREBASE_TOKEN=1//03{u64_40}
DIGITALOCEAN_TOKEN=dop_v1_{hex64}
HEROKU_API_KEY={uuid}
CLOUDFLARE_API_TOKEN={u64_30}
CF_API_KEY={hex37}
X-Auth-Key: {hex37}
FLY_API_TOKEN="FlyV1 fm2_{b64_90}"
VERCEL_TOKEN={b62_24}
NETLIFY_AUTH_TOKEN={u64_32}
LINODE_TOKEN={hex64}
HCLOUD_TOKEN={b62_64}
tskey-auth-k{b62_12}CNTRL-{b62_32}
ghp_{b62_36}
gho_{b62_36} works for the mirror
github_pat_{b62_22}_{b62_59}
GITHUB_TOKEN=ghs_{b62_36}
glpat-{b62_20}
GITLAB_RUNNER_TOKEN=GR1348941{b62_20}
CI_JOB_TOKEN={b62_20}
CIRCLE_TOKEN={hex40}
BUILDKITE_AGENT_TOKEN={hex50}
TRAVIS_TOKEN={b62_22}
SONAR_TOKEN=sqp_{hex40}
sonar.login={hex40}
CODECOV_TOKEN={uuid}
NPM_TOKEN=npm_{b62_36}
//registry.example.com/:_authToken={uuid}
//registry.example.com/:_password={b64_18}
_auth={b64_24}
npm config set //registry.example.com/:_authToken {b62_36}
[pypi]\nusername = __token__\npassword = pypi-{u64_80}
twine upload -u __token__ -p pypi-{u64_80} dist/*
machine api.example.com login deploy password {pw}
machine api.example.com\n  login deploy\n  password {pws}
machine git.example.com login x account y password {hex40}
localhost:5432:app:app:{pw}
db.internal:5432:*:postgres:{pws}
[client]\nuser=root\npassword="{pw}"
deploy:$apr1${b62_8}${b62_22}
admin:$2y$10${b62_53}
root:$6${b62_8}${b62_86}:19000:0:99999:7:::
admin:{SHA}{b64_20}
PGPASSWORD={pw} psql -h db
MYSQL_PWD={pws} mysql -u root
mysql -u root -p{pw} app
mysql --user=root --password={pw} app
mysqldump -h db -uroot -p{pws} app > dump.sql
sshpass -p {pw} ssh deploy@host
sshpass -p '{pw}' scp a b
echo {pw} | sudo -S systemctl restart app
echo "{pw}" | docker login -u ci --password-stdin registry.example.com
docker login -u ci -p {pw} registry.example.com
printf '%s' '{pw}' | gh auth login --with-token
curl -u admin:{pw} https://api.example.com/x
curl --user 'admin:{pw}' https://api.example.com/x
curl -uadmin:{pws} https://api.example.com
curl -H "Authorization: Bearer {b62_40}" https://api.example.com
curl -H 'Authorization: token {hex40}' https://api.example.com
curl -H "Authorization: ApiKey {b64_30}" https://es.example.com
curl -H "Authorization: Basic {b64_15}" https://api.example.com
curl -H "X-Api-Key: {b62_32}" https://api.example.com
curl -H "PRIVATE-TOKEN: {b62_20}" https://git.example.com
curl -H "X-Vault-Token: {b62_24}" https://vault.example.com
curl -b "session={hex32}" https://app.example.com
curl --cookie 'sid={b62_32}' https://app.example.com
Cookie: sessionid={hex32}; csrftoken={b62_64}
Set-Cookie: connect.sid=s%3A{u64_32}; Path=/; HttpOnly
Authorization: AWS4-HMAC-SHA256 Credential=AKIA{UP16}/20260101/eu/s3/aws4_request, SignedHeaders=host
Authorization: Digest username="app", response="{hex32}"
Proxy-Authorization: Basic {b64_15}
authorization: Bearer {u64_30}
"Authorization": "Bearer {u64_30}"
headers = {"Authorization": f"token {hex40}"}
wget --http-password={pw} https://x.example.com/f
wget --user=app --password='{pw}' https://x.example.com
https://app:{pw}@git.example.com/r.git
git clone https://oauth2:{b62_20}@gitlab.com/g/p.git
git remote set-url origin https://{b62_40}@github.com/o/r.git
postgres://app:{pw}@db:5432/app
postgresql+asyncpg://app:{sym}@db/app
mysql://root:{pws}@127.0.0.1:3306/app
mongodb+srv://app:{pw}@cluster0.example.net/app?retryWrites=true
redis://:{pws}@cache:6379/0
rediss://default:{b62_40}@cache.example.com:6380
amqp://guest:{pw}@mq:5672/
amqps://u:{u64_24}@mq.example.com/v
smtp://mailer:{pw}@smtp.example.com:587
ldap://cn=admin:{pw}@ldap.example.com
app:{pw}@tcp(127.0.0.1:3306)/app?parseTime=true
root:{pws}@unix(/tmp/mysql.sock)/app
host=db user=app password={pw} dbname=app sslmode=disable
jdbc:postgresql://db:5432/app?user=app&password={pw}
jdbc:oracle:thin:app/{pw}@//db:1521/orcl
sqlplus app/{pw}@orcl
sqlserver://sa:{pw}@localhost:1433?database=x
https://maps.example.com/api?key={b62_39}
https://api.example.com/v1?api_key={hex32}&q=x
https://api.example.com/v1?q=x&access_token={b62_40}
https://bucket.s3.amazonaws.com/f?X-Amz-Credential=x&X-Amz-Signature={hex64}
https://app.example.com/reset?token={u64_32}
https://app.example.com/invite?code={u64_24}
https://storage.googleapis.com/b/o?X-Goog-Signature={hex128}
wss://stream.example.com/?auth={b62_32}
https://hooks.slack.com/services/T0{UP8}/B0{UP8}/{b62_24}
https://discord.com/api/webhooks/{dig18}/{u64_51}
https://outlook.office.com/webhook/{uuid}@{uuid}/IncomingWebhook/{hex32}/x
https://api.telegram.org/bot{dig9}:AA{u64_24}/sendMessage
TELEGRAM_BOT_TOKEN={dig9}:AA{u64_24}
SLACK_BOT_TOKEN=xoxb-{dig12}-{dig12}-{b62_24}
xapp-1-A0{UP8}-{dig12}-{hex64}
DISCORD_TOKEN=M{b62_23}.{b62_6}.{u64_27}
SENTRY_DSN=https://{hex32}@o1.ingest.sentry.io/1
sntrys_{b64_90}
STRIPE_KEY=sk_live_{b62_24}
rk_test_{b62_24}
whsec_{b64_24}
SG.{u64_16}.{u64_32}
key-{hex32} is our mailgun key
MAILGUN_API_KEY=key-{hex32}
TWILIO_AUTH_TOKEN={hex32}
SK{hex32} (twilio)
sk-proj-{u64_48}
sk-ant-api03-{u64_70}
OPENAI_API_KEY=sk-{b62_48}
hf_{b62_34}
r8_{b62_37}
gsk_{b62_52}
xai-{b62_80}
pplx-{hex48}
ANTHROPIC_AUTH_TOKEN={b62_40}
lin_api_{b62_40}
secret_{b62_43}
ntn_{b62_46}
figd_{b62_40}
pat{b62_14}.{hex64}
shpat_{hex32}
shpss_{hex32}
EAACEdEose0cBA{b62_60}
dapi{hex32}
hvs.{u64_70}
s.{b62_24} is the vault token
vault write secret/app value={b62_24}
AGE-SECRET-KEY-1{B32_58}
nvapi-{u64_45}
PMAK-{hex24}-{hex34}
NRAK-{UP27}
glsa_{b62_32}_{hex8}
phc_{b62_43}
dckr_pat_{u64_20}
atlasv1 {b62_14}.atlasv1.{b62_64}
pul-{hex40}
rubygems_{hex48}
cio{b62_32} is the crates token
CARGO_REGISTRY_TOKEN=cio{b62_32}
NuGet key oy2{low43}
ATATT3xFfGF0{u64_100}
doppler dp.st.prd.{b62_40}
SQUARE_ACCESS_TOKEN=EAAA{u64_40}
sq0csp-{u64_32}
access_token$production${low16}${hex32}
eyJ{u64_24}.eyJ{u64_60}.{u64_32}
Bearer eyJ{u64_24}.eyJ{u64_60}.{u64_32}
otpauth://totp/App:me?secret={B32_32}&issuer=App
TOTP secret: {B32_32}
DB_PASS={pw}
DB_PW={pws}
SMTP_AUTH={pw}
PASSWORD_SALT={b62_22}
ENCRYPTION_KEY={b64_32}
SECRET_KEY_BASE={hex128}
SECRET_KEY = '{b62_50}'
SECRET_KEY = 'django-insecure-{low50}'
APP_KEY=base64:{b64_32}
JWT_SIGNING_KEY={hex64}
SESSION_SECRET={word}
COOKIE_SECRET={b62_32}
MASTER_KEY={hex32}
RAILS_MASTER_KEY={hex32}
ADMIN_PASSWORD={word}
admin_pw: {pws}
FTP_PASSWD='{pw}'
MINIO_ROOT_PASSWORD: {pw}
POSTGRES_PASSWORD: "{pw}"
- POSTGRES_PASSWORD={word}
- name: DB_PASSWORD\n  value: {pw}
- name: API_TOKEN\n  value: "{b62_24}"
client-key-data: {b64_300}
token: {b62_24}
password: {pw}
password: {word}
password:\n  {pw}
password: >-\n  {pw}
api_key: |\n  {b62_32}
:password => "{pw}"
:password: {pw}
password="{sym}"
'password' => '{pw}',
"password": "{pw}"
"password" : "{sym}",
\"password\": \"{pw}\"
{\"auth\":\"{b64_24}\"}
"auths": {"registry.example.com": {"auth": "{b64_24}"}}
<password>{pw}</password>
<add key="ApiKey" value="{b62_32}" />
<property name="password" value="{pw}"/>
<apiKey>{uuid}</apiKey>
password {pw}
requirepass {pws}
masterauth {pw}
variable "db_password" { default = "{pw}" }
db_password = "{pw}"
resource_token   = "{b62_32}"
data:\n  password: {b64_12}
stringData:\n  token: {b62_24}
kubectl create secret generic x --from-literal=password={pw}
kubectl config set-credentials u --token={b62_40}
helm install x --set auth.password={pw}
docker run -e POSTGRES_PASSWORD={pws} postgres
docker run --env API_KEY={b62_24} app
ENV API_SECRET={b62_24}
ENV API_SECRET {b62_24}
ARG NPM_TOKEN={uuid}
set API_KEY={b62_20}
$env:API_KEY = "{b62_20}"
setx API_TOKEN {b62_20}
heroku config:set SECRET={b62_20}
gh secret set X --body {b62_32}
gh secret set X -b"{pw}"
aws configure set aws_secret_access_key {b64_30}
az login --service-principal -u x -p {b62_34} --tenant y
openssl enc -aes-256-cbc -k {pw} -in a
openssl rsa -passin pass:{pw} -in k
gpg --batch --passphrase {pw} -d f
gpg --passphrase='{pw}' -d f
zip -P {pw} a.zip f
unzip -P {pws} a.zip
7z x -p{pws} a.7z
keytool -storepass {pws} -keystore k
keytool -genkey -keypass {pws}
redis-cli -a {pws} ping
mongosh -u root -p {pw} admin
mongo --username root --password {pws}
psql "host=db password={pw} user=app"
ldapsearch -x -D cn=admin -w {pw} -b dc=x
htpasswd -b f admin {pw}
http -a admin:{pw} https://api.example.com
ansible-playbook x.yml -e ansible_password={pw}
ansible_become_pass: {pw}
ansible_ssh_pass={pws}
CREATE USER app IDENTIFIED BY '{pw}';
ALTER USER app WITH PASSWORD '{pw}';
CREATE ROLE app LOGIN PASSWORD '{sym}';
ALTER LOGIN sa WITH PASSWORD = '{pw}';
GRANT ALL ON x.* TO 'app'@'%' IDENTIFIED BY '{pws}';
SET PASSWORD FOR app = PASSWORD('{pw}');
INSERT INTO users (name, password) VALUES ('a', '{pw}')
UPDATE users SET password = '{pw}' WHERE id = 1
connect(host="db", password="{pw}")
connect("db", user="app", passwd='{pws}')
new Client({ apiKey: '{b62_24}' })
client = Client(api_key="{b62_24}")
const token = "{b62_32}";
private static final String SECRET = "{b62_24}";
String password = "{word}";
var apiKey = `{b62_24}`;
let DB_PASSWORD: &str = "{pw}";
password := "{pw}"
os.environ["API_TOKEN"] = "{b62_24}"
process.env.API_KEY = '{b62_24}'
config.set('auth.token', '{b62_24}')
setPassword("{pw}")
login("admin", "{pw}")
basic_auth=("admin", "{pw}")
auth=HTTPBasicAuth('admin', '{pw}')
credentials: { username: 'a', password: '{word}' }
if password == "{pw}":
assert token == "{hex40}"
the password is {pw}
the password is {word}
password for the staging db is {pw}
Use {pw} as the password
use the password {pw} for staging
log in with admin / {pw}
login: admin password: {pw}
user admin, pass {pws}
creds: admin:{pw}
credentials are deploy/{pw}
my api key is {b62_24}
here is the token: {hex32}
the token for staging is `{b62_24}`
API key = {uuid}
PIN: {dig6}
the pin is {dig4}
the passphrase is "correct {word} battery"
Das Passwort ist {pw}
das Passwort lautet {pws}
Passwort: {word}
Kennwort: {pw}
Das Kennwort für den Server ist {pw}
Der API-Schlüssel ist {b62_24}
Zugangsdaten: admin / {pw}
le mot de passe est {pw}
Mot de passe : {pws}
la clé API est {b62_24}
la contraseña es {pw}
Contraseña: {word}
la clave es {pws}
la clave de la API es {b62_24}
a senha é {pw}
Senha: {pws}
a senha do banco é {pw}
a chave da API é {b62_24}
la password è {pw}
la chiave API è {b62_24}
hasło to {pw}
Hasło: {pws}
пароль: {pw}
Пароль от базы {pw}
пароль — {pws}
ключ API: {b62_24}
密码是{pw}
密码：{pws}
密碼是 {pw}
口令: {pw}
数据库密码为 {pw}
令牌是 {b62_24}
パスワードは{pw}です
パスワード：{pws}
トークンは {b62_24}
비밀번호는 {pw} 입니다
비밀번호: {pws}
wachtwoord: {pw}
het wachtwoord is {pw}
lösenordet är {pw}
heslo je {pw}
şifre: {pw}
adgangskode: {pw}
parola este {pw}
mật khẩu là {pw}
كلمة المرور هي {pw}
mot de passe du serveur : {word}
seed phrase: {words12}
mnemonic = "{words12}"
MNEMONIC={words12}
recovery phrase is {words12}
wallet private key 0x{hex64}
PRIVATE_KEY=0x{hex64}
license key: {UP5}-{UP5}-{UP5}-{UP5}
LICENSE_KEY={UP5}-{UP5}-{UP5}-{UP5}
WIFI password {pws}
psk="{pws}"
wpa_passphrase={pw}
preshared-key {b64_32}
PresharedKey = {b64_32}
PrivateKey = {b64_32}
-----BEGIN RSA PRIVATE KEY-----\n{pem}\n-----END RSA PRIVATE KEY-----
-----BEGIN OPENSSH PRIVATE KEY-----\n{pem}
{pem}\n-----END PRIVATE KEY-----
the key:\n{pem}
-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{pem}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----
PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: x\nPrivate-Lines: 6\n{pem}\nPrivate-MAC: abc
Private-MAC: {hex64}
"kty":"RSA","d":"{u64_128}"
-----BEGIN EC PRIVATE KEY-----\\n{pem1}\\n-----END EC PRIVATE KEY-----
key = """-----BEGIN PRIVATE KEY-----\n{pem}\n-----END PRIVATE KEY-----"""
DEPLOY_KEY=-----BEGIN OPENSSH PRIVATE KEY----- {pem1} -----END OPENSSH PRIVATE KEY-----
apikey: {hex32}
x-functions-key: {u64_40}==
code={u64_40}== in the function's url
NEXTAUTH_SECRET={b64_32}
AUTH0_CLIENT_SECRET={u64_48}
OAUTH_CLIENT_SECRET: {b62_40}
consumerSecret={b62_50}
bearer_token: "AAAAAAAAAAAAAAAAAAAAA{b62_60}"
refreshToken: {b62_40}
id_token={b62_40}
access-token {b62_40}
DATADOG_API_KEY={hex32}
DD_APP_KEY={hex40}
NEW_RELIC_LICENSE_KEY={hex36}NRAL
ALGOLIA_ADMIN_KEY={hex32}
PUSHER_APP_SECRET={hex20}
MAPBOX_TOKEN=sk.eyJ{u64_40}.{u64_16}
sk.eyJ{u64_40}.{u64_16}
RECAPTCHA_SECRET=6L{u64_28}
TF_VAR_db_password={pw}
PULUMI_CONFIG_PASSPHRASE={word}
BORG_PASSPHRASE='{pw}'
RESTIC_PASSWORD={pws}
VAULT_TOKEN=hvs.{b62_24}
vault_unseal_key: {b64_33}
Unseal Key 1: {b64_33}
Initial Root Token: hvs.{b62_24}
consul_encrypt = "{b64_32}"
encrypt = "{b64_32}"
JENKINS_API_TOKEN=11{hex32}
--api-key {b62_24}
--token={b62_24}
--auth-token {b62_24}
--client-secret {b62_34}
--secret-key {b64_30}
--access-key {UP20}
--pass {pws}
--pw {pws}
-Dpassword={pw}
-Dsonar.token={hex40}
/p:ApiKey={b62_24}
dotnet nuget push x.nupkg -k {low46}
cargo login {b62_35}
npm login --auth {b64_20}
wandb login {hex40}
huggingface-cli login --token hf_{b62_34}
doctl auth init -t {hex64}
ssh-keygen -t ed25519 -N '{pw}' -f key
echo -n {pw} | base64
openssl dgst -sha256 <<< "{pw}"
rclone obscure {pw}
net user anna {pw} /add
rabbitmqctl change_password app {pw}
ansible-vault encrypt_string '{pw}' --name db
psexec -u anna -p {pw} cmd
xfreerdp /u:anna /p:{pw} /v:host
curl --proxy-user anna:{pw} -x proxy:3128 https://example.com
wifi: Attic / {pw}
salasana on {pw}
kata sandinya: {pw}
adgangskoden er {pw}
recovery codes:\n{hex4}7-{hex4}8\n{hex4}5-{hex4}6
sessionid={hex32}
name,password,role\nanna,{pw},admin
| Login | Token |\n|---|---|\n| ci | {b62_24} |
 id | api_token\n----+----------\n  7 | {hex40}
host;user;password\ndb7;app;{pw}
new NetworkCredential("svc", "{pw}", "CORP")
ldap_connect('host', 'app', '{pw}')
config.api_key = '{b62_32}'
VENDOR_SECRET_ID={uuid}
Password:\n{pw}
["secret"]=>\n  string(14) "{pw}"
https://node.example.com/v3/{b62_32}
:password "{pw}"
the passphrase for the disk is {word}-{word}-{word}
process.env.DB_PASSWORD || "{pw}"
"${DB_PASSWORD:-{pw}}"
{"name":"password","value":"{pw}"}
<key>Password</key><string>{pw}</string>
passwords:\n  - {pw}\n  - {pw}
Password ........ {pw}
Password\n--------\n{pw}
| Password | {pw} |
*Password*: `{pw}`
password="""\n{pw}\n"""
ConvertTo-SecureString '{pw}' -AsPlainText
OTP: {dig6}
bindpw {pw}
tacacs-server key {pw}
sftp app:{pw}@host
net use Z: share {pw}
slaptažodis: {pw}
lykilorð: {pw}
fly auth token {b62_43}
snmpwalk -v3 -l authPriv -u monitor -a SHA -A {pws} -x AES -X {pws} 10.0.0.1
snmpwalk -v2c -c {pws} 10.0.0.1 system
snmp-server user ops grp v3 auth sha {pw} priv aes 128 {pw}
createUser monitor SHA "{pw}" AES "{pw}"
snmp-server community {pws} RO
rocommunity {pws} 10.0.0.0/24
ip ospf message-digest-key 1 md5 {pws}
radius-server host 10.0.0.1 key {pws}
bundle config gems.example.com deploy:{pws}
composer config http-basic.repo.example.com deploy {pws}
10.0.0.1:6379> AUTH {word}
10.0.0.1:6379> AUTH default {pws}
ACL SETUSER anna on >{pws} ~* +@all
ldappasswd -x -D "cn=admin" -w {pws} -s {pws} "uid=anna"
net ads join -U admin%{pws}
etcdctl --user root:{pws} get foo
bw unlock {pws}
cf auth anna {pws}
mc alias set local http://m admin {pws}
htpasswd -b f anna {word}
mosquitto_passwd -b passwd dev {word}
neo4j-admin dbms set-initial-password {word}
security unlock-keychain -p {word} login.keychain
hydra -l anna -p {word} ssh://10.0.0.1
svn co https://svn.example.com/x --username anna --password {word} --quiet
signtool sign /f c.pfx /p {pws} a.exe
chpasswd <<EOF\nanna:{pws}\nbob:{word}\nEOF
echo "{pws}" | openconnect --passwd-on-stdin vpn.example.com
aws ssm put-parameter --name /app/db --type SecureString --value {pws}
mkpasswd -m sha-512 {word}
expect "assword:"\nsend "{word}\r"
child.expect("password: ")\nchild.sendline("{pws}")
page.fill("#password", "{pws}")
userEvent.type(screen.getByLabelText(/password/i), "{pw}")
users: {anna: {pw}, bob: {pw}}
[users]\nanna = {pw}\nbob = {pw}
passwords = {"root": "{pws}", "anna": "{pws}"}
ADMIN_USERS="anna:{pw} bob:{pw}"
basic_auth_users:\n  anna: {pw}
requests.get(url, auth=("anna", "{word}"))
smtp.login("anna@example.com", "{word}")
DriverManager.getConnection("jdbc:mysql://db/x", "app", "{pws}")
new mysqli("localhost", "root", "{pws}", "shop");
User.objects.create_user("anna", "anna@example.com", "{pws}")
bcrypt.hashpw(b"{pw}", bcrypt.gensalt())
hmac.new(b"{pw}", message, "sha256")
base64.b64encode(b"anna:{pws}")
password { "{pws}" }
"adminPassword": {"value": "{pws}"}
<password><![CDATA[{pws}]]></password>
<wsse:Password Type="x">{pws}</wsse:Password>
var password string = "{word}"
Server=db;Uid=app;Pwd={pws};
Your verification code: {dig6}
votre code de vérification est {dig6}
el código de seguridad es {dig6}
{dig6} is your one-time code
验证码是 {dig6}
npm publish --otp={dig6}
SIM PUK: {dig8}
unlock pin {dig4}
use anna / {pws} to log in
A temporary password is generated for root@localhost: {pw}
env:\n  - value: "{pw}"\n    name: DB_PASSWORD
{"value": "{pw}", "name": "SMTP_PASS"}
{"ParameterValue": "{pw}", "ParameterKey": "DbPassword"}
{"name": "DB_PASSWORD", "type": "plain", "value": "{word}"}
- name: REDIS_PASSWORD\n  description: cache\n  value: {pws}
<input type="password" id="pw" value="{pw}">
{"type":"random_password","instances":[{"attributes":{"length":20,"result":"{pw}"}}]}
cfg.set('{pw}')  # db password
accounts: ["0x{hex64}"], // deployer private key
send "{pw}\\r" ;# password prompt
host smtp.example.com\npassword {pw}
host smtp.example.com\npassword {word}\nfrom bot@example.com
<Password>\n  <Value>{pw}</Value>\n</Password>
<AdministratorPassword><Value>{word}</Value></AdministratorPassword>
<secret>\n{hex32}\n</secret>
<auth-user-pass>\nana\n{pw}\n</auth-user-pass>
-----BEGIN OpenVPN Static key V1-----\n{hex32}\n{hex32}\n-----END OpenVPN Static key V1-----
$ANSIBLE_VAULT;1.1;AES256\n{hex80}\n{hex34}
Use the following password to log in:\n\n{pw}
The secret for the webhook:\n```\n{hex32}\n```
$ kubectl get secret db -o jsonpath='{.data.pw}' | base64 -d\n{b62_16}
$ pass show infra/db\n{pw}
$ openssl rand -hex 16\n{hex32}
HTTPBasicAuth("app", "Falcon-29{dig2}")
DBI->connect($dsn, 'app', '{pws}')
WIFI:T:WPA;S:Office;P:{word};;
app-specific password asnh-ngvo-zjda-{low4}q
AGORA_APP_CERTIFICATE={hex32}
oauth:{low30}
parolası {pw}
az adatbázis jelszava {pw}
melde dich mit admin / {pw} an
aws sts get-session-token --token-code {dig6}
>>> print(os.environ["API_TOKEN"])\n{b62_24}
- '{pw}' <- password
- `{pw}` – admin password
"db_password":{"sensitive":true,"type":"string","value":"{pw}"}
outputs:\n  db_password:\n    value: {pw}
{"passwords":["{pw}","{pw}"]}
password = <<EOF\n{pw}\nEOF
ENV["DB_PASSWORD"] ||= "{pw}"
amzn.mws.{uuid}
use fc-{hex32} for the crawler
ansible_become_pass: {pw}
ansible_ssh_pass={word}
ansible_become_password: "{pws}"
ansible_winrm_pass: {pw}
sk_{hex48}
lsv2_pt_{hex32}_{hex10}
the list needs {hex32}-us21
v1.0-{hex24}-{hex146}
sdk-{uuid}
data:\n  password: {b64_8}
API_KEYS={b62_24}
apiKeys: "{b62_24}"
accesskeys = "{b62_32}"
encryptionKeyHex={hex64}
apiKeyValue = "{b62_24}"
PRIVATE_KEYS=0x{hex64}
pswd={pws}
db_pswd: {pw}
pswd is {pw}
parool: {pw}
license={UP5}-{UP5}-{UP5}-{UP5}
licence = "{UP5}-{UP5}-{UP5}-{UP5}"
https://api.example.com/v1?key={hex32}
https://app.example.com/?sid={hex32}
https://app.example.com/p?a=b&cookie={hex32}
cn=ana,dc=x userPassword: {SSHA}{b64_24}
userPassword: {SHA}{hex40}
{SSHA512}{b64_64}
{"value":"hunter{dig2}","description":"the one that the reports of the night are written with","name":"DB_PASSWORD"}
{"value":"{word}","description":"the one that the reports of the night are written with","name":"DB_PASSWORD"}
amzn.mws.{uuid} is the key of the shop
fc-{hex32} for the crawler
ansible_become_password={word}
ansible_become_pass={word}
ansible_ssh_pass: {word}
ansible_sudo_pass={pws}
ansible_winrm_password: "{pw}"
ansible_ssh_private_key_passphrase={word}
TF_TOKEN_app_terraform_io={b62_14}.atlasv1.{b62_64}
docker swarm join --token SWMTKN-1-{low49}-{low25} 10.0.0.1:2377
kubeadm join 10.0.0.1:6443 --token {low6}.{low16}
K3S_TOKEN=K10{hex64}::server:{hex32}
csk-{low48}
tvly-dev-{b62_32}
e2b_{hex40}
jina_{hex32}{b62_28}
CLOJARS_{hex60}
AKCp{b62_69}
ATBB{b62_32}
pscale_tkn_{u64_32}
dt0c01.{UP24}.{UP64}
pat-na1-{uuid}
HRKU-{uuid}
CCIPAT_{b62_22}_{hex40}
CFPAT-{u64_32}
sgp_{hex40}
API-{UP30}
sha256~{u64_32}
EZAK{hex32}{b62_22}
FLWSECK-{hex32}-X
shippo_live_{hex40}
aio_{b62_28}
pnu_{b62_36}
fio-u-{u64_48}
polar_oat_{b62_43}
LTAI{b62_20}
ico-{b62_32}
sqp_{hex40}
DB_PASSWORD=\\n{word}-67!
curl -u admin:^{b62_14} https://x.example.com
ldap_bind($c, 'cn=admin', '{pw}')
my $passwd = q{{pw}};
Dim pwd As String = "{pws}"
db_password <- "{word}-67"
kind: Secret\nmetadata:\n  name: mail\ndata:\n  smtp: {b64_12}
variable "db_password" {\n  type    = string\n  default = "{word}-{word}-67"\n}
'''.strip().split("\n")

INNOCENT = r"""
reset the password (SHOP-12)
never log the password (SHOP-12), and mask tokens (SHOP-13)
- **Sign in with Provider:** a login for third-party apps
550e8400-e29b-41d4-a716-446655440000
commit 3f44af91b2c4d5e6f708192a3b4c5d6e7f809102
Merge 9fceb02 into main
sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
"integrity": "sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg=="
golang.org/x/text v0.3.7 h1:olpwvP2KacW1ZWvsR7uQhoyTYvKAupfQrRGBFM352Gk=
max_tokens: 4096
tokens: 1500/min
token_type=bearer
secretName: my-secret
password_hash_algorithm=argon2
tokenizer=cl100k_base
key: value
KEYCLOAK_URL=https://id.example.com
password: ${PASSWORD}
password = os.environ["DB_PASSWORD"]
const token = process.env.API_KEY
token = getToken()
password: string
password: str = Field(...)
apiKey: <your-token>
API_KEY=your-api-key-here
API_KEY=changeme
https://$USER:$PASS@git.example.com/r.git
https://${USER}:${TOKEN}@git.example.com
postgres://user:password@localhost/db
postgres://USER:PASSWORD@HOST:5432/DB
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer ${{ secrets.TOKEN }}
the Bearer scheme of the header
basic authentication is off
use `token: ${{ secrets.X }}` in the workflow
PWD=/home/x/project
OLDPWD=/tmp
sk-learn-based-approach
the key: always rebuild first
Rotate the token every 24 hours
the basic authentication of the proxy
password is required
the password is wrong
the password is never logged
the token is expired
the token expires after 15 minutes
the secret is to keep functions small
the key is missing in config.yaml
key=lambda item: item.score
sorted(items, key=itemgetter(1))
for key in sorted(values):
dict(key=value)
primary_key=True
foreign_key="users.id"
PRIMARY KEY (id)
KEY `idx_user_created` (`user_id`,`created_at`)
cache_key = f"user:{user.id}"
key_prefix: app_cache_v2
partition_key: customer_id
sort_key=created_at
keys: ctrl+shift+p
keyboard: de-latin1
"keywords": ["secret", "token"]
secrets.token_urlsafe(32)
import secrets
from auth.tokens import RefreshToken
class PasswordResetTokenGenerator:
test_password_reset_sends_mail
def test_token_expires_after_15_minutes(client):
TokenBucketRateLimiter
AbstractAuthenticationTokenFilterFactoryBean
src/auth/token_store.py
tests/test_secrets.py::test_masks_bearer
com.example.auth.PasswordEncoder
@nestjs/passport
passport-local
import { getToken } from '@/lib/auth/token'
export const TOKEN_TTL = 3600
TOKEN_EXPIRY_SECONDS=86400
PASSWORD_MIN_LENGTH=12
password_min_length: 12
PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]
AUTH_USER_MODEL = "accounts.User"
AUTH_PROVIDER=keycloak
auth: jwt
auth_method: oidc
author: Jane Doe
authors = ["A Person <a@example.com>"]
authority=https://login.example.com
authenticated=true
SSH_AUTH_SOCK=/tmp/ssh-XXXX/agent.1
SSH_KEY_PATH=~/.ssh/id_ed25519
key_file: /etc/ssl/private/server.key
ssl_certificate_key /etc/nginx/ssl/site.key;
password_file = /run/secrets/db_password
POSTGRES_PASSWORD_FILE: /run/secrets/pg
secretKeyRef: name: db key: password
valueFrom: secretKeyRef
secret: default-token
credentials: include
credentials: 'same-origin'
credential.helper=store
git config credential.helper cache
session_timeout=3600
session: Session = Depends(get_session)
cookie: SameSite=Lax
Set-Cookie: theme=dark
salt: 16 bytes
SALT_ROUNDS=10
bcrypt.hash(password, saltRounds)
pass the token to the handler
all tests pass: 42 passed
42 passed, 3 failed in 1.2s
passes: 3
bypass: true
a two-pass build with cache_v2
second pass: lint42
kinds = { BattlePass = "BattlePass" }
`Button_12 is wired for TowerPass points`
compass: north
pin: 3.2.1
pip install pinned==1.2.3
pin the version to 4.17.21
signature: (a: int) -> str
sig=inspect.signature(f)
design: mobile first
?key=name&sort=asc
https://example.com/search?q=token&page=2
https://docs.google.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit
https://github.com/o/r/commit/3f44af91b2c4d5e6f708192a3b4c5d6e7f809102
https://www.youtube.com/watch?v=dQw4w9WgXcQ
https://example.com/?code=404
http://localhost:3000/@scope/x
ssh git@github.com:o/r.git
git@github.com:org/repo.git
user@host:/srv/app
docker pull redis@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
registry.example.com/app:3f44af91b2c4
data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==
toolu_01A09q90qw90lq917835lq9
call_9tmSXpNAgZh8OSnXUIPNVXOH
msg_013Zva2CMHLNnjNjJKqJ2EF
chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT
req_011CSHoEeqs5C35K2UUqR7Fy
arn:aws:iam::123456789012:role/Deploy
i-0abcd1234efgh5678
subnet-0bb1c79de3EXAMPLE
vpc-1a2b3c4d
eni-0f1e2d3c4b5a69788
projects/my-project-123456/locations/europe-west1
ami-0c55b159cbfafe1f0
E11000 duplicate key error collection: app.users index: email_1
SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON
Unexpected token } in JSON at position 1024
error: invalid token at line 12
csrf token missing or incorrect
401 Unauthorized: token expired
KeyError: 'password'
KeyError: 'user_id'
#ff5733 #1a2b3c
color: #1e293b
.btn-primary:hover { color: #fff }
2026-11-23T03:25:00.000Z
1.2.3-beta.4+build.5678
v20.11.1 x64
node_modules/.pnpm/@babel+core@7.24.0/node_modules/@babel/core
/usr/lib/python3.11/site-packages/pkg_resources/__init__.py
fingerprint: SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8
ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl user@host
password_reset_url: https://example.com/reset
"token_endpoint": "https://id.example.com/token"
"tokens": 1234
input_tokens: 1532, output_tokens: 88
"input_tokens":12034,"cache_read_input_tokens":88123
token count: 123456
total tokens 182,331
token_limit=200000
TOKEN_LIMIT = 8_192
num_tokens=len(tokens)
tokens=tokenizer.encode(text)
next_page_token=None
pageToken: nextPageToken
nextToken: undefined
tokenType: 'access'
token: Token
token: str | None = None
token: Optional[str]
password: PasswordField
password?: string;
password: z.string().min(8)
password: { type: String, required: true }
password = forms.CharField(widget=forms.PasswordInput)
password=self.password
password=args.password,
password = getpass.getpass()
password = config.get("db", "password")
password = input("Password: ")
passwordHash: user.passwordHash
api_key=settings.OPENAI_API_KEY
apiKey: import.meta.env.VITE_API_KEY
api_key = ENV.fetch("API_KEY")
API_KEY=$(cat key.txt)
token=$(gh auth token)
TOKEN=`cat token`
--token "$TOKEN"
--password-stdin
--password-file pw.txt
-p 8080:80
docker run -p 5432:5432 postgres
mkdir -p src/app
ssh -p 2222 host
cp -p a b
pytest -p no:cacheprovider
python -u script.py
git push -u origin main
curl -u "$USER:$PASS" https://x
echo "done" | tee log
echo hello | wc -c
echo foo | grep o
sed -e 's/password/secret/g'
grep -rn "password" src/
rg "api_key" --type py
ls -la ~/.ssh
Enter password:
Password:
Passwort vergessen?
Das Passwort ist falsch
Das Passwort muss 12 Zeichen haben
mot de passe oublié
le mot de passe est incorrect
la contraseña es obligatoria
a senha é obrigatória
密码错误
密码不能为空
パスワードを入力してください
пароль неверный
la clave primaria es id
die Schlüssel sind sortiert
the secret manager stores it
use Secret Manager for keys
the key insight is to cache it
a key point: never block
access token lifetime is 15 minutes
refresh token rotation is on
the passphrase is asked by ssh-add
the api key is read from the environment
api key is not set
the token is stored in localStorage
the token is stored in src/auth/token_store2.py
password must match /^[a-z0-9]{8,}$/
license: MIT
license key: see vault
SPDX-License-Identifier: Apache-2.0
seed: 42
random.seed(1234)
SEED=20240101
np.random.seed(1337)
mnemonic: add
wallet: WalletService
session id: see cookie
sessionStorage.getItem('theme')
hash: 5d41402abc4b2a76b9719d911017c592
etag: "33a64df551425fcc55e4d42a148795d9f25f89d4"
md5 5d41402abc4b2a76b9719d911017c592
traceId: 4bf92f3577b34da6a3ce929d0e0e4736
request_id=7f3b8c2a-1d4e-4f6a-9b8c-0d1e2f3a4b5c
build: 20261123.4
jobs/1234567890123
order 1234-5678-9012
ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789
0123456789abcdef0123456789abcdef
00000000-0000-0000-0000-000000000000
aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa
xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx
AKIA...
ghp_...
sk-...
sk-xxxxxxxx
xoxb-...
password=***
password=********
PASSWORD=[redacted]
api_key="..."
token: "{token}"
f"Bearer {token}"
`Bearer ${token}`
"Authorization": "Bearer " + token
Authorization: Bearer {{ token }}
config.headers.Authorization = `Bearer ${token}`;
:param password: the password of the user
@param token the token to check
# password: optional
"password": null
"password": ""
password: ""
password: ~
password: ENC[AES256,type:str]
password: !vault |
password: "{{ vault_db_password }}"
password: "@format {env[PASSWORD]}"
$password = $_POST['password'];
password: req.body.password,
const { password, token } = req.body
useState<string>('password')
<input type="password" name="password">
type="password"
autocomplete="new-password"
<label for="password">Password</label>
<PasswordInput value={password} onChange={setPassword} />
i18n: password.label=Password
"password": "Passwort"
"forgot_password": "Forgot your password?"
passwordPlaceholder: 'Enter your password'
auth.token.expired=Token expired
ERR_TOKEN_INVALID
SECRET_SCANNING_ENABLED=true
ENABLE_AUTH=true
AUTH=none
TOKEN_CACHE=redis
KEY_VAULT_NAME=my-vault-01
KMS_KEY_ID=alias/app
kms_key_id: arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab
KEY_ID=main-2024
key_id: 7
publicKey: MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE
public_key: age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p
PUBLISHABLE_KEY=pk_test_51Hxyz
sort key: -created_at
hotkey: ctrl+k
react key={item.id}
key={`row-${id}`}
data-key="user-list-item-12"
translation key: settings.profile.title
i18n key `errors.auth.invalid_credentials`
secret/data/app path in vault
vault kv get secret/app
arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf
projects/p/secrets/db-password/versions/latest
op://vault/item/password
ssm:/prod/db/password
{{resolve:secretsmanager:MySecret:SecretString:password}}
!Ref DatabasePassword
var.db_password
data.aws_secretsmanager_secret_version.db.secret_string
module.auth.token
jwt.sign(payload, secret, { expiresIn: '1h' })
algorithm: HS256
JWT_ALGORITHM=RS256
JWT_EXPIRES_IN=7d
ACCESS_TOKEN_EXPIRE_MINUTES=30
bearerFormat: JWT
securitySchemes: bearerAuth
scheme: bearer
grant_type=client_credentials
grant_type=password
the merge left <<<<<<< HEAD in the file
echo foo | base64
net user
mkdir -p src/release-2024
Found session '12345678-1234-4321-8321-123456789abc'
gpg: using RSA key A0194CB43493B3058E7CCC18A3D337BBE928D770
name, token, age\nanna, none, 42
   12 token\n   13     raise SystemExit(2)
pub password: Option<String>,
connect(user=user, password=self.config.password)
connect("db", "db.internal:5432")
the recovery codes are printed once
https://api.example.com/v1/users/42
the password check is broken
spring.datasource.password=\nspring.jpa.database-platform=org.hibernate.dialect.H2Dialect
at assertAuthTokens (http://localhost:5173/deps/chunk-XNCO7GCT.js?v=ae220d34:5725:11)
"credentials",\n"rich>=13.0.0",
response_type=code
code_challenge_method=S256
docker compose -p shop2 up
docker build -t app:v1.2.3 -f Dockerfile.prod .
mysql -u root -p shop
ACL SETUSER anna on nopass ~* +@all
docker run -u node2 -p 8080:80 img
adduser --disabled-password anna2
kubectl describe secret default-token-9x7kd
existingSecret: app-postgres-credentials
users: {anna: admin2, bob: role3}
accounts: {prod: 123456789012, dev: 210987654321}
"user": {"login": "anna", "id": 351934}
getConnection("jdbc:h2:mem:test1")
create_user("anna", "anna@example.com")
bcrypt.hash(password, 10)
Your code is on line 482913 of the log
your code is 4096 bytes long
exit code 137
verify 12345 rows
PIN 13 is the LED pin
expect "$ "\nsend "ls -la\\r"
--password string   the password for the registry
set password policy min-length 12
enable password reset emails
'password' => 'required|string|min:8',
licence = "GPL-3.0-only"
snmpwalk -v2c -c public 10.0.0.1
Le mot de passe est obligatoire
Het wachtwoord is onjuist
Hasło jest wymagane
<input type="password" name="pw2" maxlength="64"/>
X509v3 Key Usage: critical\n    Digital Signature, Key Encipherment
Secrets can be made with `openssl rand -base64 32`
password: vault:secret/data/app#password
arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-AbCdEf
[{"value": "info", "name": "LOG_LEVEL"}, {"value": "3", "name": "RETRIES"}]
{"type": "random_password", "instances": []}
{"name": "password", "type": "string", "default": "none"}
retries = 3  # password attempts
uses: actions/checkout@8f4b7f84864484a7bf31766abe9204da3cbe65b3  # token needed
Choose a password with the following rules:\n- 8 characters
The password is read from:\n\nDB_PASSWORD_FILE
$ git commit -m "Hash the password"\n3f44af91
$ kubectl get secret -o name\nsecret/db-1
<Password><MinLength>8</MinLength></Password>
password varchar2
Password manager
connect linux / x86_64
sign in works on iOS17.2 / Android14
WIFI:T:nopass;S:Guest;;
the image `git-sync:5906157617516596622` (35MB) — the secret is gone
emitter.connect("data", "handler1", "x")
The stale token came from a 16-hour-old session
Login with the 2-factor form fails, see SHOP-1234
The secrets move in 2026-Q3, not 2026-W12 as planned
Token refresh (M7-S03) is the next one
The password reset of incident-2031-03-04 is fixed
The session secret was rotated on 2031-03-04T10:00Z
credentials: 3-day-old cookies go stale
The credentials leak is CVE-2031-12345 and is told in SEC-2031-001
The password rules follow ISO-27001 and RFC9106
auth tokens - ticket PR#1234 has a 5-minute-window
the class `NewXTLWidgetBlueprint3`
secrets:\n  db_password:\n    file: ./db_password.txt
secrets: {TOKEN: app-token-2, MODE: read2}
kind: Secret\ntype: Opaque\nmetadata:\n  name: mail-2\nspec:\n  data: none
gh secret set NPM_TOKEN --body "$NPM_TOKEN"
~ token_version = "v1.2.3" -> "v1.2.4"
the role admin:read_2 is new
cookies.set('theme', 'dark-blue-and-grey-2')
password=%DB_Pass2%
pattern: password=^[A-Z]{8}2$
""".strip().split("\n")
