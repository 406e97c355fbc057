"""The rules by which curator finds secrets, as a table.

A rule has a name, a hint that is cheap to find, an expression and a test (one of ``values``). It also has an example text that
is masked and one that stays. curator masks the groups ``value`` of the expression if the test is true for them.

``{pw}`` and the like in the texts stand for values that ``tests/text/forms.py`` makes. ``{bare}`` and the like in expressions
stand for ``PARTS``. docs/security.md says how to add a rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from curator.text.secrets import values as v

Test = Callable[[str], bool]


class Rule(NamedTuple):
    """A description of one form of secret. The rule's list determines the meaning of its hint."""

    name: str
    hint: str
    expression: str
    value: Test | None
    """The test of a value; for rules with names, of a value after a password's name. None: the rule masks no value there."""
    masked: str
    kept: str
    key: Test | None = None
    """The test of a value after the name of a key or a token."""
    weak: Test | None = None
    """The test of a value after a name that usually means something else."""
    of: str = ""
    """An expression that the name must match."""
    before: str = ""
    """An expression that the text before the hint or the name must match. The expression may contain the value."""
    words: str = ""
    """Words separated by bars. One must occur earlier on the line, as the name of a program."""
    without: str = ""
    """Words that must not occur earlier on the line."""
    near: str = ""
    """Signs separated by a bar. One must occur earlier in the text, which is cheaper than ``before``."""
    each: str = ""
    """An expression whose every match in the matched text, or in the group ``region``, contains a value."""
    left: str = ""
    """Signs of which one must come before the name, apart from quotes."""
    reach: int = 0
    """The number of characters before the hint that the rule reads. 0 means the characters of its line."""
    first: bool = False
    """True if only the first of these is masked."""


# fmt: off
PARTS = {
    "quoted": r"[bfrunBFRUN@$]{0,2}(?P<quote>\\{0,3}(?:\"{3}|'{3}|[\"'`“„«]))(?P<value>[^\n]{0,400}?)(?:(?P=quote)|[”“»])",
    "bare": r'(?P<value>[.:]{0,9}{plain}{1,400}+(?:[.:]{1,9}{plain}{1,400}+){0,40}+)(?![.:]{0,9}[(\[{])',
    "plain": r"[^\s\"'`,;<>()\[\]{}|\\，。；、.:]",
    "end": r'[ \t]{0,4}(?=\r?\n|\Z|\\{0,3}"\s{0,2}[}\],])',  # also that of a text in JSON
    "cell": r"(?P<quote>['\"])(?P<value>[^'\"\n]{3,200})(?P=quote)",
    # fields of an object, one with the name and one with the value
    "field": r"(?<![\w.-])[\"']?(?:[pP]arameter)?(?:[vV]al(?:ue)?|result|content|default|[sS]ecretString)[\"']?[ \t]{0,4}"
    r"[:=][ \t]{0,4}",
    "literal": r"(?:(?P<quote>[\"'])(?P<value>[^\"'\s]{3,200})(?P=quote)|(?=[^\s,;]{0,60}[A-Za-z])(?=[^\s,;]{0,60}"
    r"\d[^\s,;]{0,60}\d|[^\s,;]{0,60}[!#$%^*?@]|[a-z]{3,12}-[a-z]{3,12}-)(?P<value2>[^\s\"',;<>()\[\]{}|]{3,200}))",
    "named": r"(?i:name|key|type|id|label|title|field|variable)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:[\w.-]{0,40}/){0,4}",
    "same": r'(?:(?![{}>]|\n[ \t]{0,20}-[ \t]|<\w|\n[ \t]{0,4}\n)[\s\S]){0,300}?',
    "until": r'(?:(?![}>]|\n[ \t]{0,20}-[ \t]|\n[ \t]{0,4}\n)[\s\S]){0,300}?',
    # comments, lines
    "comment": r"(?:^|[ \t;,)\]}])(?:#|//|--(?=[ \t])|/\*|<!--|<-|←|(?<=[`\"'][ ])[–—])[ \t]{0,4}(?:[\w/'-]{1,20}[ \t]){0,4}",
    "below": r"\n(?:[ \t>]{0,4}\r?\n|[ \t]{0,4}```\w{0,12}\r?\n){0,2}[ \t>]{0,12}(?:\*\*|[`\"'])?(?P<value>(?![<{\[(])"
    r"[^\s\"'`<>]{5,200}+)[`\"']?{end}",
    "pair": r'[ \t]{1,4}(?P<value>\S{4,200}){end}',
    "neighbor": r'(?:user(?:name)?|login|host|hostname|account|server|email|from|port|machine)[ \t]{1,4}\S{1,80}[ \t]{0,4}\r?',
    # commands
    "line": r'(?![\w.+-])[^\n|;]{0,200}?[ \t]',
    "flag": r"(?:[ \t]{1,3}(?:\\\r?\n[ \t]{1,24})?|(?=[\"']))[\"']?(?P<value>[^\s\"'|;&<>()-][^\s\"'|;&<>()]{2,200})",
    "skip": r"[ \t]{1,4}(?![-|;&<>]|[a-z_]{3,20}=[^=])(?:\"[^\"\n]{1,100}\"|'[^'\n]{1,100}'|[^\s\"'|;&<>()]{1,200}+)",
    "options": r'(?:[ \t]{1,4}(?:-[^\s|;&<>()=]{0,60}=|[a-z_]{3,20}=(?!=))\S{0,200}|[ \t]{1,4}-[^\s'
    '|;&<>()=]{0,60}(?:{skip})?){0,4}',
    "last": r"[ \t]{1,4}(?![-|;&<>]|[a-z_]{3,20}=[^=])[\"']?(?P<value>(?<=[\"'])[^\"'\n]{1,200}|[^\s\"'|;&<>()]{1,200}+)",
    # prose
    "is": '(?:is|was|are|be|ist|war|lautet|est|es|son|é|è|to|jest|je|är|er|on|este|là|=|:|：)',
    "word": r'\\{letters}{0,200}|(?P<value>{letters}{4,200})',
    "letters": r"[^\s\"'`,;:()\[\]{}<>|\\“”„«»，。：；、（）「」]",
    "sentence": r"\??(?![ \t]--?[a-z])(?=[^\n]{0,80}?[\d!#$%^*?@-])(?:(?<=\w)\w|(?![\"']{1,2}[,:]|\\n|[.?](?!\S)"
    r"|(?<!\w)\w{1,40}+=(?=\S))[^\n{};|<>]){0,64}",
    "as": r"[\"'`“„]?(?P<value>[^\s\"'`,;()<>“”„]{6,200})[\"'`”“]?[ \t](?:\(|(?:as|for|als|für|como|comme|come|is|ist|jako"
    r"|как)[ \t])(?:(?:the|a|an|our|my|your|das|dem|den|el|la|le|o|il|mot|de)[ \t]|[\w-]{1,20}[ \t]){0,3}",
    "abroad": '(?i:密[码碼钥]|口令|令牌|パスワード|비번|トークン|暗証番号|비밀번호|토큰|лозинк[аеуо]|парол[ьяюе]|токен|ключ'
    '|contraseña|hasł[oae]m?'
    r'|lösenord\w{0,4}+|[şŞ]ifre\w{0,8}+|mật khẩu|clé|كلمة (?:المرور|السر)|סיסמה|κωδικός|schlüssel|jelszó|slaptažodis'
    '|lykilorð|पासवर्ड|รหัสผ่าน|密语)',
    # calls and people
    "call": r"\(\s{0,12}(?:b?'[^'\n]{0,100}'|b?\"[^\"\n]{0,100}\"|[$@:&]?[\w.]{0,40})(?P<region>\s{0,4},[^()\n]{3,300})",
    "sealed": r"(?:\w{0,12}crypt\w{0,10}|createhmac|hmac(?:\.new)?|hashpw|hashsync|hash(?=\([\"'])|jwt\.(?:sign|encode|verify"
    r"|decode)|64encode|btoa)\((?:[^()\n]|\([^()\n]{0,80}\)){0,300}",
    "entry": r"[\s,{\[(\"']{0,24}[\w.@-]{1,60}[\"']?[ \t]{0,4}(?::|=>|=|,)[ \t]{0,4}[\"']?[^\s\"',{}\[\]()]{4,100}"
    r"[\"']?[ \t]{0,4}[)\]},]{0,3}",
    "person": r"[\w.@-]{1,60}[\"']?[ \t]{0,4}(?::|=>|=|,)[ \t]{0,4}[\"']?(?P<value>[^\s\"',{}\[\]()]{4,100})",
    "people": r"[\"'\])]{0,3}(?:[ \t]{0,8}(?::=|=>|<{2,3}-?|[:=])[ \t]{0,4}(?:map\[string\]string)?|(?<=\])(?=\r?\n))",
    "passwords": r'(?i:assw(?!\w{0,20}(?:id|hash)(?![a-z]))\w{0,20}|(?:assphrase|asscode|(?<!by)(?<!com)pass|pw|pswd|pwd'
    r'|secret|phrase|senha|contras\w{1,4}|kennwort|hasl\w|hesl\w|gesl\w|lozink\w|jelsz\w{1,4}|mdp|psk|clave|chave|chiave'
    r'|kode\w{0,4}|parool|parol\w|creds|wachtwoord|salasana|credentials?|masterauth))(?![\w-])',
    "directive": r"[ \t]{1,4}(?:(?:\d|ascii-text|--plaintext|\d{1,3}[ \t]md5)[ \t]{1,2})?[\"']?(?!public"
    r"|private)(?P<value>[^\s\"';<>]{4,200})[\"']?;?(?=[ \t]{0,3}(?:\r?\n|\Z|RO|RW|address|default|\d{1,3}\.))",
    "echo": r"[ \t]{1,3}(?:-\w{1,2}[ \t]|[\"']\w{0,20}:?%s(?:\\n)?[\"'][ \t])?[\"']?(?:\w{1,40}:)?(?P<value>[^\s\"'"
    r"|$`]{3,200})[\"']?",
    "sent": r'(?!20\d\d-[01]\d-[0-3]\d)(?P<value>\d{4,8}|\d{3}[- ]\d{3})(?![\w.]?\w|%)(?![ \t]+(?:lines?|char|words?|bytes?'
    r'|times|files?|loc|tests?|items?|rows?|points)\b)',
    "stated": r"(?i:[ \t]{0,2}(?:(?:for|of|from|to|on|für|vom|der|des|de|du|del|do|da|di|per|la|le|el|o|the|our|my|das"
    r"|den)[ \t](?:(?:the|our|my|this|your)[ \t])?[\w./-]{1,24}[ \t]{1,2}){0,4}{is}(?:[ \t](?:now|currently|still|jetzt)"
    r"|:)?[ \t]{0,3}[\"'`“„«]?)(?P<value>(?<![:=：] )(?<![:=：][\"'`“„«])[^\s\"'`,;()\[\]{}<>“”„«»]{6,200}+"
    r"|[^\sA-Z\"'`,;()\[\]{}<>“”„«»]{6,200}+)[\"'`”“)*. \t]*(?=[\n{};|<>]|\Z)",
    "joint": r"(?i)(?:\[[\"']?\w{0,20}[\"']?\]|(?:\\{0,3}[\"'`\])*]){0,4})(?:(?P<other>(?::[ \t]?[&\w\[\]<>|?. ]{1,24}"
    r"|(?<=\w)[ \t](?:As[ \t])?\w{2,20}[ \t])=(?=[ \t]{0,4}[\"'`]))|(?P<element>[ \t]{1,4}\w{1,30}=\"[^\"\n]{0,60}\">\s{0,12}"
    r"<value>|(?<=auth-user-pass)>\s{1,8}[^\s<>]{1,80}\s{1,8}(?=[^\s<>]{1,200}\s{0,8}</)|</\w{1,20}>\s{0,12}<\w{1,20}"
    r">(?=[^\s<>]{1,200}</))|(?P<colon>[\s,]{0,12}(?:\{\s{0,12}(?:[\w ]{1,24}=[^\n]{0,40}\n\s{0,12}){0,3}default[ \t]{0,12}="
    r"|(?::[ ]?\{[ ]?)?\\{0,2}[\"']?(?:(?:parameter)?value|with)\\{0,2}[\"']?[ \t]{0,4}[:=]))|(?P<tight>=(?=[^\s=>]))"
    r"|[ \t]{0,24}(?:(?P<argument>,(?=\s{0,24}[\"'])|\((?=b?[\"']))|(?P<colon2>:(?![=-]))|(?P<other2>:=|=>|->|<-|={1,3}|!==?"
    r"|:-(?=[^\s{}]{3,100}\})|：|\|\|=?|\?\?=?|\{(?=[ \t]{0,2}[\"']))|(?P<element2>(?:[ \t]{1,4}[\w:]{1,30}=\"[^\"\n]{0,120}\")"
    r"{0,3}>(?:\s{0,12}<(?:value|string|text)>)?\s{0,12}(?=(?:<!\[CDATA\[)?[^\s<>]{1,200}(?:\s{0,12}</|\]\]>|[<\]]))))"
    r"|(?P<space>[ \t]{1,2}(?:\\\r?\n[ \t]{1,24})?)(?=\S))"
    r"[ \t]{0,24}(?:\w{1,12}\(\d{1,4}\)[ \t])?(?:[|>][-+]?\d?[ \t]{0,4}(?=\r?\n)"
    r"|(?:[\"']?\$\(cat[ ])?<<[-~]?\w{1,12}\r?\n"
    r"|\([ \t]{0,4}(?=\r?\n))?(?:(?:\\\r?\n|\r?\n[ \t])[ \t]{0,23}(?:\w{1,12}\(\d{1,4}\)[ \t])?)?(?:<!\[CDATA\["
    r"|\[(?=[\"'](?:Bearer|Basic|Token)))?(?:{wrap}\((?=[bru]?[\"'`]))?(?:[\"'](?=(?:Bearer|Basic|Token)[ ]))?"
    r"(?:(?:Bearer|Basic|Token|ApiKey|Api-Key|Bot|Key|JWT"
    r"|GenieKey|SSWS|Splunk|OAuth|Digest|PASSWORD)[ \t(]{1,2})?(?:%?qq?[{(\[])?",
    "wrap": r"(?i:\[\]byte|byte(?:s|array)|str|(?:std::)?string(?:::from|view)?|secretstr|buffer\.from|some|new string)",
    # long words
    "public": r'-----BEGIN (?![A-Z0-9 ]{0,40}PRIVATE)[A-Z0-9 ]{1,40}-----[\s\S]{0,20000}?(?:-----END [A-Z0-9 ]{1,40}-----|\Z)',
    "before": r"(?i)(?P<name>[A-Za-z][\w.-]{0,48}+)[\"'`\\)\]]{0,4}[ \t]{0,4}(?::=|=>|={1,3}|:|(?<=[ \t]))[ \t]{0,4}"
    r"[bfru]?[\"'`\\]{0,4}(?:(?:bearer|basic|token|bot|key|jwt)[ \t]{1,2})?(?:s%3a|s:)?",
    "number": r'(?:[Ss][Hh][Aa]\d{1,3}[-:=]|h1:|data:|base64,|iVBORw0KGgo|/9j/|R0lGOD|PHN2Zy|UklGR|AAAA[A-Z0-9]|d09G[MR]'
    r'|T1RUTw|AAEAAAA|pk_|pk\.|(?:srv)?tool(?:u|use)?_|(?:call|msg|req|resp|run|thread|asst|batch|item|fc|rs|ctc|evt|cus|pi'
    '|pm|ch|price|prod|sub|in|acct|seti|si|inv|ses|prt|ws|ig|part|workflow|session|user|org|proj|snap|dpl|prj|team|usr|bld'
    '|job|task|exec|trace|conv|node|col|doc|img|step|file|event|order|cart|page|row|cmpl|chatcmpl|gen|trc|span|obj|ord'
    '|app)[-_]|A-Z|a-z|0-9)',
    "thing": r"(?i:(?:(?:^|[^a-z])(?:u?u?id|guid|sha\d*|md5|sum|rev|ref|sri)|ids?|hash(?:es)?|digests?|checksums?|etag"
    r"|integrity|revision|commit|fingerprint|cursor|public[_-]?key|pub[_-]?key|thumbprint|ssh-\w{2,20}|resolved"
    r"|certificate[_-]?data|blob|encrypted[_-]?content|image|png|svg|font|base64,?)[\"'\\\])]{0,4}[ \t]{0,2}"
    r"[:=]?[ \t\"'\\(`]{0,4})",
    "body": r"(?!{number})(?P<value>[A-Za-z0-9_+/=.~-]+)(?P<rest>(?:%[0-9A-Fa-f]{2}[\w.~+/=-]{0,200}+){0,20}+"
    r"(?:(?<=[A-Za-z0-9+/=_-]{40})[ \t]*+(?:\r?\n|\\n)[ \t+>|]{0,8}(?=[A-Za-z]{0,80}[0-9+/=])[A-Za-z0-9+/]{2,80}={0,2}(?=\s"
    r"|-----|[\"'\\]|\Z))*+)",
    # tables
    "head": r"(?![ \t]*+\d*+\t)(?:[^\n,;\t|]{0,80}+[,;\t|])?(?:[ \t]{0,20}[\"']?[A-Za-z][\w .#-]{0,30}+[\"']?[ ]{0,20}[,;\t"
    r"|]){0,30}(?:[ \t]{0,20}[\"']?[\w .-]{1,40}+[\"']?)?\s?",
}
"""Parts that several expressions share, by name."""

NAMES = (
    "pass|key|token|secret|cred|pw|psw|clave|contrase|contrasi|chave|chiav|licence|license|mnemonic|parol|parool|phrase|pasahit|otp|mdp"
    "|auth|senh|haslo|heslo|hesla|login|log in|gesl|identified by|wachtwoord|kennwort|cookie|gskode|kodeord|kata sandi|psk"
    "|jelszav|jelszo|lozink|zugangsdaten|salasana|certificate"
)
"""Parts of names of secrets. ``grade_of`` says how much the whole name says."""

MADE = tuple(
    Rule(name, hint, expression, v.anything, masked, kept)
    for name, hint, expression, masked, kept in (
        ("AWS key ID", "AKIA|ASIA|ABIA|ACCA|AROA|AIDA",
         'A(?:KIA|SIA|BIA|CCA|ROA|IDA)[A-Z0-9]{16}(?![A-Za-z0-9])', "AKIA{UP16}", "AKIAXXXXXXXXXXXXXXXX"),
        ("AWS Marketplace key", "amzn.mws.", r'amzn\.mws\.[0-9a-f-]{36}', "amzn.mws.{uuid}", "amzn.mws.xxxx"),
        ("GitHub token", "ghp_|gho_|ghu_|ghs_|ghr_", 'gh[pousr]_[A-Za-z0-9]{20,}+', "ghp_{low30}", "ghp_xxxx"),
        ("GitHub token of one repository", "github_pat_", r'github_pat_\w{20,}+', "github_pat_{low30}", "github_pat_xxxx"),
        ("GitLab token", "glpat-|gldt-|glrt-|glcbt-|glptt-|glft-",
         r'gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas|ffct)-[\w-]{16,}+', "glpat-{low20}", "glpat-xxxx"),
        ("GitLab runner", "GR1348941", r'GR1348941[\w-]{16,}+', "GR1348941{low20}", "GR1348941xxxx"),
        ("Slack", "xoxb-|xoxp-", r'xox[a-z]-[\w-]{8,}+', "xoxb-{dig12}-{low20}", "xoxb-xxxx"),
        ("Slack app", "xapp-", r'xapp-\d-[\w-]{8,}+', "xapp-1-{low20}", "xapp-xxxx"),
        ("OpenAI, Anthropic, DeepSeek", "sk-", r'sk-(?=[\w-]{0,200}[0-9])[\w-]{16,}+', "sk-{low30}", "sk-learn-based-approach"),
        ("Stripe", "sk_live_|rk_live_|sk_test_",
         '[srp]k_(?:live|test|prod)_[A-Za-z0-9]{10,}+', "sk_live_{low20}", "sk_live_xxxx"),
        ("Stripe webhook", "whsec_", r'whsec_[\w+/=]{10,}+', "whsec_{low20}", "whsec_xxxx"),
        ("npm", "npm_", 'npm_[A-Za-z0-9]{30,}+', "npm_{low36}", "npm_xxxx"),
        ("PyPI", "pypi-", r'pypi-[\w-]{40,}+', "pypi-{low60}", "pypi-xxxx"),
        ("Google API key", "AIza", r'AIza[\w-]{26,}+', "AIza{low35}", "AIzaxxxx"),
        ("Google access token", "ya29.", r'ya29\.[\w-]{20,}+', "ya29.{low40}", "ya29..."),
        ("Google client secret", "GOCSPX-", r'GOCSPX-[\w-]{16,}+', "GOCSPX-{low28}", "GOCSPX-xxxx"),
        ("Google refresh token", "1//0", r'1//0[\w-]{20,}+', "1//0{low40}", "1//0xxxx"),
        ("Hugging Face", "hf_", 'hf_[A-Za-z0-9]{20,}+', "hf_{low34}", "hf_xxxx"),
        ("DigitalOcean", "dop_v1_|doo_v1_|dor_v1_", r'do[opr]_v1_\w{20,}+', "dop_v1_{low40}", "dop_v1_xxxx"),
        ("Supabase", "sbp_", r'sbp_\w{20,}+', "sbp_{low40}", "sbp_xxxx"),
        ("Supabase secret", "sb_secret_", r'sb_secret_[\w-]{16,}+', "sb_secret_{low18}", "sb_secret_xxxx"),
        ("Linear", "lin_api_|lin_oauth_", r'lin_(?:api|oauth)_\w{20,}+', "lin_api_{low40}", "lin_api_xxxx"),
        ("Notion", "ntn_", r'ntn_\w{20,}+', "ntn_{low40}", "ntn_xxxx"),
        ("Notion secret, Fauna", "secret_", 'secret_[A-Za-z0-9]{30,}+', "secret_{word}{word}{word}{word}", "secret_xxxx"),
        ("Databricks", "dapi", 'dapi[0-9a-f-]{30,}+', "dapi{hex32}", "dapixxxx"),
        ("Vault", "hvs.|hvb.|hvr.", r'hv[sbr]\.[\w-]{20,}+', "hvs.{low30}", "hvs.example"),
        ("Tailscale", "tskey-auth-|tskey-", r'tskey-[\w-]{16,}+', "tskey-auth-{low30}", "tskey-auth-xxxx"),
        ("age", "AGE-SECRET-KEY-1", r'AGE-SECRET-KEY-1\w{20,}+', "AGE-SECRET-KEY-1{UP30}", "AGE-SECRET-KEY-1xxxx"),
        ("SendGrid", "SG.", r'SG\.[\w-]{16,}+\.[\w-]{16,}+', "SG.{low22}.{low43}", "SG.example"),
        ("Twilio", "SK", r'SK[0-9a-f]{32}(?!\w)', "SK{hex32}", "SKU 1234"),
        ("Mailgun", "key-", r'key-[0-9a-f]{32}(?!\w)', "key-{hex32}", "key-value-pairs"),
        ("Firecrawl", "fc-", r'fc-[0-9a-f]{32}(?!\w)', "fc-{hex32}", "fc-cache -fv"),
        ("Shopify", "shpat_|shpss_", 'shp(?:at|ss|ca|pa|tka)_[0-9a-fA-F]{24,}+', "shpat_{hex32}", "shpat_xxxx"),
        ("SonarQube", "sqp_|squ_|sqa_", 'sq[pua]_[0-9a-f]{30,}+', "sqp_{hex40}", "sqp_xxxx"),
        ("Square", "sq0csp-", r'sq0[a-z]{3}-[\w-]{20,}+', "sq0csp-{low43}", "sq0csp-xxxx"),
        ("Facebook", "EAA", 'EAA[A-Za-z0-9]{20,}+', "EAA{UP40}", "EAAxxxx"),
        ("Replicate", "r8_", r'r8_\w{20,}+', "r8_{low37}", "r8_xxxx"),
        ("Groq", "gsk_", r'gsk_\w{20,}+', "gsk_{low52}", "gsk_xxxx"),
        ("xAI", "xai-", r'xai-[\w-]{20,}+', "xai-{low60}", "xai-xxxx"),
        ("Perplexity", "pplx-", r'pplx-\w{20,}+', "pplx-{low48}", "pplx-xxxx"),
        ("Cerebras", "csk-", r'csk-\w{20,}+', "csk-{low48}", "csk-xxxx"),
        ("Nvidia", "nvapi-", r'nvapi-[\w-]{20,}+', "nvapi-{low60}", "nvapi-xxxx"),
        ("Tavily", "tvly-", r'tvly-[\w-]{20,}+', "tvly-dev-{low32}", "tvly-xxxx"),
        ("LangSmith", "lsv2_pt_|lsv2_sk_", r'lsv2_(?:pt|sk)_\w{30,}+', "lsv2_pt_{hex32}_{hex10}", "lsv2_pt_xxxx"),
        ("E2B", "e2b_", 'e2b_[0-9a-f]{30,}+', "e2b_{hex40}", "e2b_xxxx"),
        ("Jina", "jina_", r'jina_\w{30,}+', "jina_{low60}", "jina_xxxx"),
        ("Postman", "PMAK-", r'PMAK-[\w-]{24,}+', "PMAK-{hex24}-{hex34}", "PMAK-xxxx"),
        ("New Relic user key", "NRAK-", r'NRAK-\w{16,}+', "NRAK-{UP27}", "NRAK-xxxx"),
        ("New Relic licence", "NRAL", r'[0-9a-f]{36}NRAL(?!\w)', "{hex36}NRAL", "NRAL"),
        ("Grafana", "glsa_|glc_", r'gl(?:sa|c)_[\w+/=]{20,}+', "glsa_{low32}", "glsa_xxxx"),
        ("PostHog", "phc_|phx_", r'ph[cx]_\w{20,}+', "phc_{low43}", "phc_xxxx"),
        ("Docker", "dckr_pat_", r'dckr_[a-z]{3}_[\w-]{16,}+', "dckr_pat_{low27}", "dckr_pat_xxxx"),
        ("Docker swarm", "SWMTKN-1-", r'SWMTKN-1-[\w-]{40,}+', "SWMTKN-1-{low49}-{low25}", "SWMTKN-1-xxxx"),
        ("k3s", "K10", 'K10[0-9a-f]{60,}+', "K10{hex64}", "K10 is a key"),
        ("Pulumi", "pul-", 'pul-[0-9a-f]{30,}+', "pul-{hex40}", "pul-xxxx"),
        ("ElevenLabs", "sk_", r'sk_[0-9a-f]{40,}+', "sk_{hex48}", "sk_xxxx"),
        ("Mailchimp", "-us", r'[0-9a-f]{32}-us\d{1,2}(?!\w)', "{hex32}-us21", "en-us1"),
        ("Cloudflare origin", "v1.0-", r'v1\.0-[0-9a-f]{24}-[0-9a-f]{100,}+', "v1.0-{hex24}-{hex146}", "v1.0-beta"),
        ("RubyGems", "rubygems_", r'rubygems_\w{20,}+', "rubygems_{hex48}", "rubygems_xxxx"),
        ("Clojars", "CLOJARS_", r'CLOJARS_\w{40,}+', "CLOJARS_{low60}", "CLOJARS_xxxx"),
        ("Artifactory", "AKCp", r'AKCp\w{40,}+', "AKCp{low69}", "AKCpxxxx"),
        ("Atlassian", "ATATT3|ATCTT3", r'AT[AC]TT3[\w=-]{20,}+', "ATATT3{low60}", "ATATT3xxxx"),
        ("Bitbucket", "ATBB", r'ATBB\w{28,}+', "ATBB{low32}", "ATBBxxxx"),
        ("Doppler", "dp.st.|dp.pt.|dp.ct.", r'dp\.(?:st|pt|ct|sa|scim|audit)\.[\w.-]{20,}+', "dp.pt.{low43}", "dp.st.xxxx"),
        ("Fly", "fm2_|fm1_", r'fm[12]_[\w+/=]{20,}+', "fm2_{low60}", "fm2_xxxx"),
        ("Figma", "figd_", r'figd_[\w-]{16,}+', "figd_{low40}", "figd_xxxx"),
        ("Airtable", "pat", r'pat[A-Za-z0-9]{14}\.\w{30,}+', "pat{low14}.{hex64}", "pattern.of.names"),
        ("Sentry", "sntrys_|sntryu_", r'sntry[su]_[\w+/=]{20,}+', "sntryu_{hex64}", "sntrys_xxxx"),
        ("crates.io", "cio", 'cio[A-Za-z0-9]{28,}+', "cio{low32}", "cio"),
        ("NuGet", "oy2", 'oy2[a-z0-9]{40,}+', "oy2{low43}", "oy2xxxx"),
        ("Terraform Cloud", ".atlasv1.", r'[\w-]{14}\.atlasv1\.[\w-]{30,}+', "{low14}.atlasv1.{low60}", "x.atlasv1.y"),
        ("Resend", "re_", r're_[A-Za-z0-9]{8}_\w{16,}+', "re_{low8}_{low24}", "re_export_everything"),
        ("Django", "django-insecure-", r'django-insecure-[\w+/=.~-]{20,}+', "django-insecure-{low50}", "django-insecure-xxxx"),
        ("Brevo", "xkeysib-", r'xkeysib-[\w-]{20,}+', "xkeysib-{hex64}-{low16}", "xkeysib-xxxx"),
        ("PlanetScale", "pscale_tkn_|pscale_pw_",
         r'pscale_(?:tkn|pw|oauth)_[\w.-]{30,}+', "pscale_tkn_{low43}", "pscale_tkn_xxxx"),
        ("Dynatrace", "dt0c01.|dt0s01.", r'dt0[a-z]\d\d\.\w{20,}+\.\w{50,}+', "dt0c01.{low24}.{low64}", "dt0c01.xxxx"),
        ("HubSpot", "pat-na1-|pat-eu1-", r'pat-[a-z]{2}\d-[0-9a-f-]{36}(?!\w)', "pat-na1-{uuid}", "pat-na1-xxxx"),
        ("LaunchDarkly", "sdk-|api-",
         r'(?:sdk|api)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?!\w)', "sdk-{uuid}", "sdk-version-1.2.3"),
        ("Heroku", "HRKU-", r'HRKU-[\w-]{30,}+', "HRKU-{uuid}", "HRKU-xxxx"),
        ("CircleCI", "CCIPAT_", r'CCIPAT_\w{20,}+', "CCIPAT_{low22}_{hex40}", "CCIPAT_xxxx"),
        ("Contentful", "CFPAT-", r'CFPAT-[\w-]{40,}+', "CFPAT-{low43}", "CFPAT-xxxx"),
        ("Sourcegraph", "sgp_", r'sgp_\w{40,}+', "sgp_{hex40}", "sgp_xxxx"),
        ("Octopus Deploy", "API-", r'API-(?=[A-Z]{0,30}[0-9])[A-Z0-9]{26,}+(?!\w)', "API-{UP30}", "API-GATEWAY"),
        ("OpenShift", "sha256~", r'sha256~[\w-]{40,}+', "sha256~{low43}", "sha256~..."),
        ("EasyPost", "EZAK|EZTK", 'EZ[AT]K[A-Za-z0-9]{50,}+', "EZAK{low54}", "EZAKxxxx"),
        ("Flutterwave", "FLWSECK", 'FLWSECK(?:_TEST)?-[0-9a-zA-Z]{12,}+', "FLWSECK-{UP32}", "FLWSECKxxxx"),
        ("Adafruit IO", "aio_", r'aio_[A-Za-z0-9]{28}(?!\w)', "aio_{low28}", "aio_xxxx"),
        ("Prefect", "pnu_", r'pnu_[A-Za-z0-9]{36}(?!\w)', "pnu_{low36}", "pnu_xxxx"),
        ("Frame.io", "fio-u-", r'fio-u-[\w-]{50,}+', "fio-u-{low64}", "fio-u-xxxx"),
        ("Polar", "polar_oat_", r'polar_\w{2,4}_\w{30,}+', "polar_oat_{low43}", "polar_oat_xxxx"),
        ("Alibaba", "LTAI", r'LTAI[A-Za-z0-9]{16,22}(?!\w)', "LTAI{UP20}", "LTAIxxxx"),
        ("Infracost", "ico-", r'ico-[A-Za-z0-9]{32}(?!\w)', "ico-{low32}", "ico-xxxx"),
        ("ClickUp", "pk_", r'pk_\d{6,10}_[A-Z0-9]{30,}+', "pk_{dig8}_{UP32}", "pk_live_xxxx"),
        ("Web token", "eyJ", r'eyJ[\w-]{6,}+\.[\w-]{6,}+(?:\.[\w-]*+){0,3}', "eyJ{low20}.{low30}", "eyJhbGciOi..."),
        ("Token with a usual prefix", "_",
         '(?:tfp|bkua|tgp_v1|napi|apify_api|ops|rnd|vcp|fw|live|prod|secret|token)_(?=[A-Za-z_]{0,40}[0-9])[A-Za-z0-9]{28,}+',
         "rnd_{low32}", "live_stream_with_a_long_name"),
    )
)
"""Words with their maker's prefix. The hint is the prefix. The expression is matched in a long word."""

WORDS = (
    Rule("random word", "", '{body}', v.is_random, "see {b62_40} there", "call_9tmSXpNAgZh8OSnXUIPNVXOH", key=v.is_random,
         reach=64, before=r'^(?![\s\S]{0,64}{thing}\Z)(?![\s\S]{0,64}(?=[\s\S]{1,12}\Z){number})[\s\S]{0,64}'),
    Rule("mixture behind a name", "", '{body}', None, "sessionid={hex32}", "request_id=7f3b8c2a-1d4e-4f6a-9b8c-0d1e2f3a4b5c",
         key=v.is_id_or_mixture),
)
"""Long words with joined letters and digits. ``value`` tests one without a secret's name before it, ``key`` one with a name."""

JOINED = (
    "mysql|mysqldump|mysqladmin|mysqlimport|mysqlsh|mysqlcheck|mysqlslap|mariadb|mariadb-dump|mariadb-admin|7z|7za|7zz|rar|unrar"
)
"""Programs that take a password without a space after its flag."""
PEOPLE = "|".join(
    word + sign
    for word in "users accounts logins members credentials creds passwords passwd secrets".split()
    for sign in (":", "=", '"', "'", " =", " :", "]", " <")
)
"""Names of lists of people."""

PLACES = (
    Rule("private key", "-----begin ", '(?P<value>-----BEGIN [A-Za-z0-9 ]{0,40}(?:PRIVATE KEY(?: BLOCK)?'
         r'|Static key V1)-----[\s\S]*?(?:-----END [A-Za-z0-9 ]{0,40}(?:PRIVATE KEY(?: BLOCK)?|Static key V1)-----|\Z))',
         v.anything, "-----BEGIN PRIVATE KEY-----\n{low20}\n-----END PRIVATE KEY-----",
         "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----"),
    Rule("Telegram bot", ":aa", r'(?<=\d):(?P<value>AA[\w-]{30,200}+)', v.anything, "1234567:AA{abc40}", "1:AA"),
    Rule("login in an address", "://", r"://[^\s/:@\"'`<>\[\]]{0,120}:(?P<value>[^\s/\"'`<>]{1,200})@(?=[\w\[$(%{-])",
         v.is_login, "postgres://app:{word}@db:5432/app", "postgres://user:password@localhost/db"),
    Rule("token before an address", "://", r"://(?P<value>[^\s/:@\"'`<>\[\]]{16,200})@", v.is_login,
         "https://{hex32}@github.com/o/r.git", "ssh://git@github.com/o/r.git"),
    Rule("query of an address", "://", r"://[^\s\"'`<>]{0,4000}+", v.likely, "https://x.example.com/?sid={hex32}&q=x",
         "https://x.example.com/?sid=menu&q=x", key=v.is_query_mixture, weak=v.is_query_mixture,
         each=r"[?&;#](?P<name>[\w.%-]{1,40})=(?P<value>[^\s&\"'`<>#;)\]}]{6,2000}+)"),
    Rule("signature in an address", "://", r"://[^\s\"'`<>]{0,4000}+", v.is_query_mixture,
         "https://x.example.com/f?sig={hex32}", "https://x.example.com/f?sig=none",
         each=r"[?&;#](?:code|sig|sign)=(?P<value>[^\s&\"'`<>#;)\]}]{6,2000}+)"),
    Rule("address of a node", "://",
         r"://[^\s\"'`<>/]{1,200}/(?:[\w.-]{1,60}/){0,4}v\d{1,2}/(?P<value>[\w-]{24,100})/?(?=[?.,;:)\]]{0,2}(?:[\s\"'`<>]|$))",
         v.is_node_key, "https://node.example.com/v3/{hex32}", "https://api.example.com/v1/users-of-the-whole-company"),
    Rule("token of a channel", "/t/", r"/t/(?P<value>[a-z]{2}-[0-9a-f-]{32,36})/", v.anything,
         "https://conda.example.com/t/an-{uuid}/main", "https://forum.example.com/t/an-answer/42"),
    Rule("address of a hook", "/bot|/hook|//hooks.|webhook", r'/{0,2}(?:bot(?=\d)|hooks\.slack\.com/\w{1,20}/'
         r'|webhooks?(?:\.office\.com)?[\w.]{0,40}/|hooks?/)(?P<value>[\w/@.:%-]{16,300}+)', v.has_mixed_part,
         "https://hooks.slack.com/services/T0{UP8}/B0{UP8}/{low24}", "https://docs.example.com/hooks/use-a-custom-hook",
         near=":", before=r"://?[^\s\"'`<>]{0,200}|:"),
    Rule("user / password", " / ",
         r" / (?P<value>(?![A-Za-z]{1,20}\d{1,2}(?![\w!#$%^*?]))[^\s\"'`/,;)]{6,60})(?![^\s\"'`,;).])", v.is_slashed,
         "sign in as anna / {pws}!", "sign in works on iOS17.2 / Android14", reach=90,
         before=r'(?i)(?:(?:log[ gi]|\bsign|meld|connect|connexion|sesi[oó]n|acced|entra|user|benutz|account|creds|admin'
         r'|root)[^\n]{0,40}(?<![\w/.@-])[\w.@-]{2,40}|(?<![\w/.@-])(?:admin|root|user|postgres)\w{0,12})'),
    Rule("padded Base64", "password: |password=|passwd: |secret: ",
         r'(?i:password|passwd|secret)(?:: |=)(?P<value>[A-Za-z0-9+/]{6,400}+={1,2})(?![\w=/+])', v.anything,
         "  password: {b64_7}", "password: required"),
    Rule("Ansible vault", "$ansible_vault",
         r'\$ANSIBLE_VAULT;[^\n]{1,80}\n(?P<value>(?:[ \t]{0,40}[0-9a-f]{2,120}(?:\r?\n|(?![\w \t]))){1,400}+)', v.anything,
         "$ANSIBLE_VAULT;1.1;AES256\n{hex80}\n", "$ANSIBLE_VAULT;1.1;AES256"),
    Rule("values of a secret in a cluster", "kind: secret|stringdata:",
         r"(?:kind: Secret\s(?:(?!\n---)[\s\S]){0,600}?\n(?:string)?|string)[dD]ata:"
         r"(?P<region>(?:\r?\n[ \t]{1,24}[\w.-]{1,60}:[^\n]{0,2000}){1,20})", v.is_pair,
         "stringData:\n  smtp: {pws}", "kind: Secret\nmetadata:\n  name: smtp",
         each=r"\n[ \t]{1,24}[\w.-]{1,60}:[ \t]{1,4}[\"']?(?P<value>[^\s\"']{4,2000})"),
    Rule("cookie in a file of cookies", " / true | / false ",
         r"\t/\t(?:TRUE|FALSE)\t\d{1,12}\t[^\t\n]{1,100}\t(?P<value>[^\s\"']{12,4000})", v.is_mixture,
         ".example.com\tTRUE\t/\tTRUE\t1798761600\tvisit\t{hex32}", ".example.com\tTRUE\t/\tTRUE\t0\ttheme\tdark"),
    Rule("hash of a password", '$apr1$|$2|$1$|$5$|$6$|$y$|$argon2|$pbkdf2|$scrypt$|$7$|$production$|$sandbox$',
         r'(?P<value>\$(?:apr1|2[abxy]|[156y]|argon2\w{0,2}|pbkdf2[\w-]{0,20}|scrypt|7|production'
         r'|sandbox)\$[\w./$,=+-]{20,300}+)', v.anything, "anna:$apr1${low8}${low22}", "$1$ and $2 are arguments"),
    Rule("hash of a directory", "{s", r'(?P<value>\{S?SHA\d{0,3}\}[\w+/=]{20,200}+)', v.anything, "anna:{SHA}{hex40}",
         "{SSHA}"),
    Rule("line of .pgpass", ":5432:|:*:*:", r':(?:5432|\*):[\w.*-]{1,60}:[\w.*-]{1,60}:(?P<value>\S{3,200})(?=\r?\n|\Z)',
         v.anything, "db.internal:5432:*:app:{word}", "db.internal:5432:5432", before=r'(?<![\w.*:-])[\w.*-]{1,100}'),
    Rule("login at a mail relay", ":587 ", r':587[ \t]{1,8}[\w.@+-]{1,80}:(?P<value>[^\s:]{4,200})(?=\s|\Z)', v.anything,
         "[smtp.example.com]:587 anna@example.com:{word}", "smtp.example.com:587 is the relay"),
    Rule("password behind a mailbox", "@", r"@[\w-]{1,40}(?:\.[\w-]{1,40}){1,3}:(?P<value>[^\s\"'`,;<>]{6,100})", v.likely,
         "anna@example.com:{pws}", "git@github.com:org/repo.git"),
    Rule("password of an administrator", "admin:|root:", r"\w{4,5}:(?P<value>[^\s\"'`,;:/@$<>{}()]{6,100})", v.is_marked,
         "use admin:{pw} there", "the role admin:read_2", before=r"(?<![\w/.-])"),
    Rule("login before a driver", "@tcp(|@unix(|@udp(", '@', v.is_placed, "app:{word}@tcp(127.0.0.1:3306)/app",
         "app:${PASSWORD}@tcp(db)/app", reach=120, before=r"[\w.-]{1,60}:(?P<value>[^\s\"'`@/]{1,100})"),
    Rule("login at Oracle", "thin:|sqlplus |impdp |expdp |sqlldr |rman ", "(?:thin:|(?:sqlplus|impdp|expdp|sqlldr"
         r"|rman)[ \t]{1,4}(?:-?\w{1,12}[ \t])?)[\w.-]{1,40}/(?P<value>[^\s\"'`@/]{1,100})@", v.is_placed,
         "sqlplus app/{word}@orcl", "sqlplus app/$PASSWORD@orcl"),
    Rule("login at a host", "@", r"@(?://?\w|\w{1,20}(?=[\s\"'`:]|$))", v.is_marked, "sftp app:{pw}@host", "user:name2@host",
         near=":", reach=120, before=r"(?<![\w/:.-])[\w.-]{1,40}:(?P<value>[^\s\"'`@/:]{7,100})"),
    # commands
    Rule("-p of MySQL and archives", " -p| -hp", r"\s-h?p[\"']?(?P<value>[^\s\"'-][^\s\"']{2,200})", v.is_secret,
         "mysql -u root -p{word} app", "mysql -u root -p shop2", words=JOINED + "|sshpass"),
    Rule("user:password of a client", " -u| -a| --user| --proxy-user", r"\s(?:-[uaU]|-auth|--user"
         r"|--proxy-user)[ \t=]{0,2}(?:\\\r?\n[ \t]{1,24})?[\"']?(?!(?:\w:|//)[\\/])"
         r"[^\s:\"'%,$]{1,80}[:%,](?P<value>[^\s\"']{3,200}?)"
         r"(?=@[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}(?![\w@])|[\s\"']|\Z)", v.is_secret, "curl -u anna:{word} https://x",
         "curl -u anna https://x", words='smbget|smbcacls|etcdctl|curl|wget|http|https|xh|httpie|lftp|smbclient|rpcclient'
         '|smbmap|net|govc|jenkins-cli.jar|aria2c'),
    Rule("cookie of a client", " -b", r"\s-b[ \t]{0,2}[\"']?[^\n\"']{0,200}?=(?P<value>[\w.~+/%-]{16,400})", v.is_secret,
         'curl -b "theme={hex32}" https://x', 'curl -b "theme=dark" https://x', words='curl|wget|http|https|xh|httpie'),
    Rule("flag of two letters", " -ap| -pp| -pw", r'\s-(?:ap|pp|pw){flag}', v.is_secret, "prog -pp {word} host",
         "prog -pp $PASSWORD host", without=JOINED),
    Rule("-p of many programs", " -p", r'\s-p{flag}', v.is_secret, "twine upload -p {word} dist/*",
         "twine upload -p password dist/*", words='login|vsce|ovsx|sshpass|mongo|mongosh|mongodump|mongorestore|mongoexport'
         '|mongoimport|twine|poetry|cqlsh|cypher-shell|rabbitmqadmin|racadm|esxcli|rdesktop|xfreerdp|crackmapexec|nxc'
         '|netexec|evil-winrm|hydra|medusa|useradd|usermod|psexec64|unlock-keychain|create-keychain|doveadm|ncftpget'
         '|ncftpput|telnet-login|vncdotool|supabase|certutil|ipa-client-install|ipa-server-install'),
    Rule("-P of many programs", " -p", r'\s-P{flag}', v.is_secret, "zip -P {word} a.zip f", "zip -P secret a.zip f",
         words='zip|unzip|zipcloak|ipmitool|ipmiutil|sqlcmd|bcp|isql|tsql|osql|mosquitto_pub|mosquitto_sub|import|ssh-keygen'),
    Rule("-w of directories and keychains", " -w", r'\s-w{flag}', v.is_secret, "ldapsearch -x -D cn=admin -w {word} -b dc=x",
         "ldapsearch -x -w password", words='ldapsearch|ldapadd|ldapmodify|ldapdelete|ldapcompare|ldapwhoami|ldapmodrdn'
         '|ldapexop|ldappasswd|ldapvi|kadmin|add-generic-password|add-internet-password|dsconf|dsidm|ipa-client-install'),
    Rule("-a and -s of servers", " -a| -s", r'\s-[as]{flag}', v.is_secret, "redis-cli -a {word} ping",
         "redis-cli -a password ping", words='redis-cli|valkey-cli|keydb-cli|ldappasswd|ipa-server-install'),
    Rule("flags of SNMP", " -a| -x| -c", r'\s-(?:[AXc]|[ax](?![ \t]{1,3}(?:SHA|MD5|AES|DES|3DES))){flag}', v.is_community,
         "snmpget -v3 -u m -a SHA -A {word} host", "snmpwalk -v2c -c public host",
         words='snmpwalk|snmpget|snmpgetnext|snmpset|snmpbulkget|snmpbulkwalk|snmptable|snmpstatus|snmptrap|snmpdf'
         '|snmpinform|net-snmp-create-v3-user'),
    Rule("flags of certificates and keys", " -k| -n| -w", r'\s-[kKNW]{flag}', v.is_secret,
         "openssl enc -aes-256-cbc -k {word} -in a", "openssl enc -k secret -in a",
         words='openssl|ssh-keygen|pk12util|certutil|set-key-partition-list|coap-client'),
    Rule("flag behind a user", " -p| -w", r'\s-[pPw]{flag}', v.is_unmeasured, "svc --username anna -p {word}",
         "svc --username anna -p 8080:80", without=JOINED,
         before=r"(?<!\S)(?:-[uUl]|--user(?:name)?|--admin-user)[ =][\"']?[\w@\\-]{1,60}[\"']?"),
    Rule("flag in a line with a user", " -p| -a| -w| -k| -b| -t| -x| -n", r'\s-[pPawkbtxN]{flag}', v.likely,
         "svc -u anna --db x -p {pws}", "docker run -u node2 -p 8080:80 img", words='-u', without=JOINED),
    Rule("flag before a user", " -p| -a| -w| -k| -b| -t| -x| -n", r'\s-[pPawkbtxN]{flag}(?=[^\n]{0,300}--user)', v.likely,
         "svc -p {pws} --user anna", "svc -p 8080:80 --user anna", without=JOINED),
    Rule("flag of a registry, a cloud, a client", " -p| -a| -w| -k| -b| -t| -x| -n", r'\s-[pPawkbtxN]{flag}', v.likely,
         "helm registry -p {pws}", "docker build -t app:v1.2.3 -p x .", words='docker|podman|nerdctl|skopeo|az|helm|oc|cf'
         '|crane|oras|dotnet|nuget|gh|glab|ibmcloud|clickhouse-client|wandb|snowsql|vsql|doctl|winexe|vault|plink|pscp'
         '|mosquitto_pub|mosquitto_sub|influx|sudo|psexec|codecov|codecovcli|uv|flit', without="build|run|compose|" + JOINED),
    Rule("strong word behind a flag", " -p| -a| -w| -k| -b| -t| -x| -n| -s| -c", r'\s-[pPawWkKbtxXNAcs]{flag}', v.strong,
         "prog -p {pw}", "prog -p abc1", without=JOINED),
    Rule("word written into a program that reads one", "echo|printf", r'(?:echo|printf){echo}[ \t]{0,3}(?:\||\r?\n\+)[^'
         r'|\n]{0,120}(?:--password-stdin|--passwd-on-stdin|--with-token|--passphrase-fd|--data-file|(?:ch|smb)?passwd'
         r'|sudo[^|\n]{0,60} -S)(?![\w-])', v.anything, "echo {word} | docker login -u ci --password-stdin",
         "echo foo | grep o"),
    Rule("password written into a program", "echo|printf", r'(?:echo|printf){echo}[ \t]{0,3}\|[ \t]?(?:su|base64|cryptsetup'
         r'|openssl|gpg|kinit|smbpasswd|kubeseal|age|gcloud secrets|wrangler secret|passwd)\b', v.is_phrase_or_password,
         "echo -n {pw} | base64", "echo foo | base64"),
    Rule("password in a here-string", "<<<", r"<<<[ \t]{0,3}[\"']?(?:\w{1,20}:(?=\S))?(?P<value>[^\s\"'$`<>(){}]{4,200})",
         v.likely, 'md5 <<< "{pws}"', "the merge left <<<<<<< HEAD in the file"),
    Rule("password in a here-string for a program that asks", "<<<",
         r"<<<[ \t]{0,3}[\"']?(?:\w{1,20}:(?=\S))?(?P<value>[^\s\"'$`<>(){}]{4,200})", v.is_secret, "kinit admin <<< {word}",
         "cat <<< hello",
         before=r'\b(?:kinit|passwd|vncpasswd|chpasswd|smbpasswd|bw|op|lpass|pass|secret|login)[ ][^\n|;]{0,100}'),
    Rule("/p: of Windows", " /p:| /p ", r"\s/[pP][: ][\"']?(?P<value>[^\s\"'/-][^\s\"']{3,200})", v.likely,
         "signtool sign /f c.pfx /p {pws} a.exe", "prog /p page"),
    Rule("/p: behind a user", " /p:", r"\s/[pP]:[\"']?(?P<value>[^\s\"'/-][^\s\"']{3,200})", v.is_secret,
         "xfreerdp /u:anna /p:{word} /v:host", "xfreerdp /u:anna /p:password", before=r'/u(?:ser)?:[^\n]{1,80}'),
    Rule("argument of what makes or sets a password",
         'mkpasswd|set-initial-password|reset-admin-password|authtoken|setapikey|wifi-sec.psk',
         r'(?:mkpasswd|set-initial-password|reset-admin-password|authtoken|setapikey|wifi-sec\.psk){options}{last}',
         v.is_secret, "mkpasswd -m sha-512 {word}", "mkpasswd --help"),
    Rule("argument of what logs in", 'vault |cargo |wandb |snyk |bw |openssl |mysqladmin |mariadb-admin |nmcli |rclone ',
         r'(?<![\w.+-])(?:(?:vault|cargo|wandb){line}login|snyk{line}auth|bw{line}unlock|openssl{line}passwd|(?:mysqladmin'
         '|mariadb-admin|nmcli){line}password|rclone{line}(?:obscure|pass)){options}{last}', v.is_secret,
         "vault -address x login {word}", "vault login -method=oidc"),
    Rule("argument behind a user or a host",
         'bw |cf |wpa_passphrase|pypi-token.|github-oauth.|gitlab-token.|gitlab-oauth.|rabbitmqctl |net user ',
         r'(?:(?:pypi-token|g\w{5}-(?:oauth|token))\.\S{1,100}|(?:(?<!\w)bw{line}login|(?<!\w)cf{line}auth|wpa_passphrase'
         '|rabbitmqctl (?:add_user|change_password|authenticate_user)|net user){options}{skip}){options}{last}', v.is_secret,
         "cf auth anna {word}", "net user anna"),
    Rule("argument behind two or three others",
         'htpasswd|mosquitto_passwd|-setairportnetwork|mc admin user add|samba-tool user|http-basic.|mc alias set|doveadm auth',
         r'(?:(?:htpasswd|mosquitto_passwd)(?=[^\n]{0,80} -\w{0,6}b)(?:(?=[^\n]{0,80} -\w{0,6}n)|{options}{skip})'
         r'|(?i:-setairportnetwork|mc admin user add|samba-tool user|doveadm auth){options}{skip}|http-basic\.\S{1,100}'
         '|mc alias set(?:{options}{skip}){2}){options}{skip}{options}{last}', v.is_secret, "htpasswd -b f anna {word}",
         "htpasswd -c f anna"),
    Rule("any argument", 'etcdctl user add|bundle config|encrypt_string|convertto-securestring|net use ',
         r'(?i)(?:etcdctl user add|bundle config|encrypt_string|convertto-securestring|net use)\b[^\n|;<>]{0,300}+', v.is_pair,
         "ansible-vault encrypt_string '{pws}'", "bundle config path vendor", each='{last}'),
    Rule("variables stored as secrets", "secrets set |secret set |config:set |create secret ",
         r"(?:secrets? set|config:set|create secret)\b[^\n|;<>]{0,400}+", v.likely, "fly secrets set MAIL={pws}",
         "fly secrets set MAIL=anna", each=r"[ =][\"']?[\w.-]{1,60}=[\"']?(?P<value>[^\s\"'=]{4,400})"),
    Rule("stored as a secret", "securestring", r"SecureString[^\n]{0,300}?--value[= ][\"']?(?P<value>[^\s\"']{4,200})",
         v.is_secret, "aws ssm put-parameter --type SecureString --value {word}",
         "aws ssm put-parameter --type SecureString --value $V"),
    # configuration
    Rule("setting that is a secret", 'requirepass|masterauth|bindpw|rootpw|pre-shared-key|rocommunity|rwcommunity'
         '|message-digest-key|key-string|authentication-key|eap|xauth|psk', r"(?<![\w-])(?:requirepass|masterauth|bindpw"
         r"|rootpw|pre-shared-key|r[ow]community|message-digest-key|key-string|authentication-key|(?<=: )eap(?= [\"'])|xauth"
         "|psk){directive}", v.is_secret, "requirepass {word}", "requirepass is off here", before='(?<!# )'),
    Rule("setting of a router", "key|community|secret|password|passwd|pass |pwd ",
         r'(?<![\w-])(?:key|community|secret|password|passwd|pass|pwd){directive}', v.is_secret,
         "snmp-server community {word} RO", "snmp-server community public RO",
         before=r'(?i)(?:(?:server|isakmp)[ \t](?:(?:host[ \t])?[\w.:-]{1,60}[ \t])?|^[ \t]{0,8}(?:enable|ipsec|xauth|(?:set'
         r'|ppp)[ \t](?:[^\n]{1,60}[ \t])?(?<=[ \t])|(?:neighbor|username|machine|default|user|key'
         r'|d-i)[ \t][^\n,]{1,60})[ \t])'),
    Rule("user of SNMP", "auth |createuser ", r"(?i)(?:auth|createuser)[ \t](?:[\w.-]{1,40}[ \t])?(?:sha"
         r"|md5)[\w-]{0,5}[ \t][\"']?(?P<value>[^\s\"']{4,100})[\"']?(?:[ \t](?:priv[ \t])?(?:3?des"
         r"|aes)[\w-]{0,5}[ \t](?:\d{2,3}[ \t])?[\"']?(?P<value2>[^\s\"']{4,100}))?", v.is_phrase_or_likely,
         'createUser monitor SHA "{pws}" AES "{pws}"', "createUser monitor SHA secret"),
    Rule("AUTH at a prompt of Redis", "auth ", r"(?i)(?<!\w)auth[ \t]{1,3}(?:[\w-]{1,40}[ \t]{1,3})"
         r"?[\"']?(?P<value>(?!(?-i:[A-Z])+[\"']?{end})[^\s\"'=:;,()]{4,200})[\"']?{end}", v.is_secret,
         "10.0.0.1:6379> AUTH {word}", "10.0.0.1:6379> AUTH $PW", before=r'(?:\d>|redis[^\n]{0,80})[ \t]?'),
    Rule("AUTH of Redis", "auth ",
         r"(?<!\w)AUTH[ \t]{1,3}(?:[\w-]{1,40}[ \t]{1,3})?[\"']?(?P<value>[^\s\"'=:;,()]{4,200})[\"']?{end}", v.likely,
         "AUTH {pws}", "AUTH none"),
    Rule("rule of a user of Redis", " >", r"\s>(?P<value>[^\s\"'<>=]{4,200})", v.is_secret, "ACL SETUSER anna on >{word} ~*",
         "ACL SETUSER anna on nopass", near="user|USER|User", before=r'(?im)(?:setuser|^[ \t]{0,4}user)[ \t][^\n]{1,80}'),
    Rule("values of a cookie or an authorization", "cookie|authorization", r"(?i)(?:cookie|authorization)[\"']?:[^\n]{0,2000}+",
         v.is_mixture, "Cookie: a=b; theme={hex32}", "Set-Cookie: theme=dark",
         each=r"=[\"']?(?:s%3A)?(?P<value>[\w.~+/=%-]{16,2000}+)"),
    Rule("cookie that a call sets", "cookies.set(", r"\w{7}\.\w{3}\(\s{0,12}[\"'][\w.-]{1,60}[\"'],\s{0,12}[\"']"
         r"(?P<value>[\w.~+/=%-]{16,2000})", v.is_mixture, "cookies.set('visit', '{hex32}')", "cookies.set('theme', 'dark')"),
    Rule("cookie of a session in small letters", "sessid=|sessionid=|session_id=",
         r"(?i)(?:sessid|session_?id)=(?![0-9a-f]{20,64}\b)(?-i:(?P<value>[a-z0-9]{20,64}))(?![\w-])", v.has_digit,
         "PHPSESSID={abc24}7", "PHPSESSID=none"),
    # codes
    Rule("seed of a wallet", "phrase|mnemonic", r"(?i)(?:phrase|mnemonic)[\"']?[ \t]{0,2}(?:is|:|="
         r"|ist)?[ \t]{0,3}[\"'`]?(?P<value>(?:[a-z]{3,8}[ \t]{1,2}){11,23}[a-z]{3,8})", v.anything,
         "the recovery phrase: {words12}", "the phrase is shown once"),
    Rule("code of a wireless network", "wifi:", r'WIFI:(?:[^\n;]{0,100}+;){0,5}?P:(?P<value>(?:\\.|[^;\\\n]){4,100}+);',
         v.anything, "WIFI:T:WPA;S:Office;P:{word};;", "WIFI:T:nopass;S:Guest;;"),
    Rule("PIN", "pin|puk|otp|token-code|mfa-code", r"(?i)(?<![\w-])(?:pin|puk|otp|--(?:otp|pin|totp|token-code|mfa-code"
         r"|otp-code))(?:[ \t]code)?[\"']?[ \t]{0,3}{is}[ \t]{0,3}[\"'`]?(?P<value>\d{4,8})(?![\w.])(?! ohm)", v.anything,
         "the pin is {dig4}", "pin: 3.2.1"),
    Rule("code of a flag", "--otp|--pin|--totp|--token-code|--mfa-code|--otp-code",
         r'--(?i:otp|pin|totp|token-code|mfa-code|otp-code)[ =](?P<value>\d{4,8})(?![\w.])', v.anything, "prog --totp {dig6}",
         "npm publish --otp=$OTP"),
    Rule("PIN of a lock", "pin |puk |otp ", r'(?i)(?:pin|puk|otp)[ =](?P<value>\d{4,8})(?![\w.])', v.anything,
         "unlock pin {dig4}", "PIN 13 is the LED pin",
         before=r'(?i)\b(?:unlock|sim|card|bank|door|screen|vault|alarm|safe|phone)[ _-]'),
    Rule("key in groups", "key", r"(?i)key[\"']?(?:[ \t]is)?[ \t]?[:=]?[ \t]{0,3}(?P<value>(?:\d{6}-){3,7}\d{6}"
         r"|(?:[a-z2-7]{4} ){3,7}[a-z2-7]{4})(?!\w)", v.has_digit, "recovery key: {dig6}-{dig6}-{dig6}-{dig6}",
         "the key is that they also work with them", reach=24,
         before='(?i)(?:recovery|setup|secret|authenticator|manual|backup|crypt|pairing|private|access|master)[ _-]?'),
    Rule("codes of a second factor", "recovery|scratch|backup", r"(?i)(?:recovery|scratch|backup)[ _-]?codes?[^\n]{0,300}+"
         r"(?:\s{1,4}(?:[-*\d.)]{1,3}[ \t]{1,3})?(?=[^\n]{0,40}\d)[A-Za-z0-9]{3,12}(?:[- ][A-Za-z0-9]{3,12}){0,5}"
         r"[ \t,`\"']{0,4}(?=\r?\n|\Z)){0,20}", v.is_recovery_code, "recovery codes:\n{hex4}7-{hex4}8\n{hex4}5-{hex4}6",
         "the recovery codes are printed once",
         each=r'(?<![\w-])(?P<value>[A-Za-z0-9]{4,12}(?:[- ][A-Za-z0-9]{4,12}){0,5})(?![\w-])'),
    Rule("code that was sent", 'code:|code is|code=|code =|code"|code "|code `|code *|code ist|code est|code es|code 0'
         '|code 1|code 2|code 3|code 4|code 5|code 6|code 7|code 8|code 9',
         r"(?i)code[\"']?[ \t]{0,3}(?:{is}[ \t]{0,3})?[\"'`*]{0,2}{sent}", v.anything, "Your verification code: {dig6}",
         "Your code is on line 482913 of the log", reach=48, before='(?i)(?:verif|v[ée]rif|confirm|conferm|authenti'
         '|authori[sz]|one[- ]?time|(?:2|m)fa|t?otp|sms|log[- ]?in|sign[- ]?in|security|access|reset|unlock|door|gate'
         '|garage|alarm|safe|recovery|pairing|your|dein|ihr|votre|token|enter (?:the|this)|best[äa]tigung|sicherheit'
         r'|anmelde|zugang|segurid|seguran|acces)\w{0,8}[ _-]?'),
    Rule("code that verifies", "verif|vérif",
         r"(?i)v[ée]rif[^\W\d_]{0,12}+(?:code)?[\"']?[ \t]{0,3}(?:{is}[ \t]{0,3})?[\"'`*]{0,2}{sent}", v.anything,
         "votre code de vérification est {dig6}", "verify 12345 rows"),
    Rule("code before its name",
         'time code|tion code|firm code|rity code|cess code|in code|your code|sms code|2fa code|mfa code|otp code',
         r'\w{2,4} code\b', v.anything, "{dig6} is your one-time code", "482913 is a code point", near=" is | to | as ",
         reach=80, before=r'(?<![\w.-])(?:G-)?(?P<value>\d{4,8})[ \t](?:is|to|as)[ \t](?:your[ \t])?(?:[\w-]{1,20}[ \t]){0,3}'
         r'[\w-]{0,20}'),
    Rule("code in another language", "codice|codigo|c?digo", r'(?i)c(?:odice|[oó]digo)[^\d\n]{0,12}(?:conferm|confirm'
         r'|verific|sicur|segur|acces)[^\d\n]{0,24}(?P<value>\d{4,8})(?![\d.])', v.anything, "el código de seguridad es {dig6}",
         "el código de salida es 137"),
    Rule("code in another script",
         '验证码|校验码|認証コード|確認コード|인증 번호|인증번호'
         '|код подтверждения|код доступа|код безопасности|mã xác minh|mã xác nhận',
         r'[^\d\n]{4,24}(?P<value>\d{4,8})(?![\d.])', v.anything, "验证码是 {dig6}", "验证码错误"),
    # calls and people
    Rule("arguments of a call that logs in", 'connect(|connection(|login(|auth(|createuser(|create_user(|createsuperuser('
         '|create_superuser(|ftp(|pdo(|mysqli(|.begin(|bind(|bind_s(', r'[\w.]{2,20}{call}', v.is_argument,
         'getConnection("jdbc:mysql://db/x", "app", "{pw}")', 'emitter.connect("data", "handler1", "x")', each='{cell}'),
    Rule("second argument of a call that logs in",
         'connect(|connection(|login(|auth(|createuser(|create_user(|createsuperuser(|create_superuser(',
         r"\w{2,20}\(\s{0,12}(?:b?'[^'\n]{0,100}'|b?\"[^\"\n]{0,100}\"|[$@:&]?[\w.]{0,40})\s{0,4},\s?(?:[\"'][^\"'\n]{1,100}"
         r"[\"']\s{0,2},\s?){0,1}[\"'](?P<value>[^\"'\n]{3,200})[\"']", v.is_second_argument,
         'client.connect("app", "Falcon-{dig2}")', 'emitter.connect("data", "handler1", "x")'),
    Rule("secret behind the id of a client", "client(|oauth(|oauth2(",
         r"\w{5,12}\(\s{0,12}(?:[$@]?[\w.]{0,40}(?i:id|key|user|name|login)|[\"'][^\"'\n]{1,100}[\"'])\s{0,4},"
         r"\s{0,12}[bru]?[\"'](?P<value>[^\s\"']{8,200})[\"']", v.is_client_secret,
         "new OAuth2Client(id, '{abc3}QWZ{abc3}KJX{abc3}')", 'new S3Client("shop", "eu-central-1")'),
    Rule("arguments of a driver", "ftp(|pdo(|mysqli(", r'\w{3,6}{call}', v.is_secret,
         'new mysqli("localhost", "root", "{word}", "shop")', "new PDO($dsn, $user, $password)",
         each=r"(?<=, )[\"'](?=[^\n]{1,200})[^\"'\n]{1,60}[\"'], [\"'](?P<value>[^\"'\n]{3,200})[\"']"),
    Rule("user and password of a call", "auth(|auth=|auth =|login(|login=|login =",
         r"(?i)(?:auth|login)(?:[ \t]?=[ \t]?)?\w{0,30}\(\s{0,24}[\"'][^\"'\n]{1,60}[\"']\s{0,2},\s{0,24}(?:Some\()"
         r"?[\"'](?P<value>[^\"'\n]{3,200})[\"']", v.likely, 'login("anna", "{word}7")', 'login("anna", "token")'),
    Rule("user and plain word of a call", "auth=|auth =|.login(|.auth(|basicauth(|digestauth(",
         r"(?i)(?:auth[ \t]?=[ \t]?\w{0,30}|\.login|\.auth|(?:basic|digest)auth)\(\s{0,24}[\"'](?P<user>[^\"'\n]{1,60})"
         r"[\"']\s{0,2},\s{0,24}(?:Some\()?[\"'](?!(?P=user))(?P<value>[^\"'\n]{3,200})[\"'],?\s{0,24}\)",
         v.is_secret, 'requests.get(url, auth=("anna", "{word}"))',
         'smtp.login("anna", "anna")'),
    Rule("what a call signs or encodes", "crypt|hmac|hashpw(|hashsync(|.hash(|jwt.|64encode(|btoa(", r'(?i)\.?{sealed}',
         v.is_sealed, 'hmac.new(b"{pw}", message, "sha256")', "bcrypt.hash(password, 10)", each='{cell}'),
    Rule("user:password that a call encodes", "crypt|hmac|hashpw(|hashsync(|.hash(|jwt.|64encode(|btoa(", r'(?i)\.?{sealed}',
         v.is_typed, 'base64.b64encode(b"anna:{word}")', 'btoa("user:name")',
         each=r"[\"'][\w.@-]{1,60}:(?P<value>[^\s\"'$<{]{4,200})[\"']"),
    Rule("user/password of a login", 'auth=|auth:|auth"|auth =',
         r"(?i)auth[\"']?[ \t]{0,2}[:=][ \t]{0,2}[\"']?\w{2,20}/(?P<value>[^\s\"'/$<{]{6,100})", v.likely,
         "NEO4J_AUTH=neo4j/{pws}", "auth: neo4j/config"),
    Rule("user:password of one person", 'user:|user=|user"|user\'|user =|account:|account=|account"|account =|login:'
         '|login=|login"|login =|auth:|auth=|auth"|auth =|auth_basic|authbasic|auth_ident|authident',
         r"(?i)(?:user|account|login|auth|auth_?basic|auth_?ident)[\"']?[ \t]{0,4}[:=][ \t]{0,4}[\"']?[\w-]{2,60}"
         r":(?P<value>[^\s\"'`,:/@$<{}()]{4,100})", v.likely, "user: anna:{pws}", "user: anna:staff"),
    Rule("passwords of people", PEOPLE,
         '(?i)(?:users|accounts|logins|members|credentials|creds|passwords|passwd|secrets){people}(?P<region>(?:{entry}){1,20})',
         v.is_password, "users: {anna: {pw}, bob: {pw}}", "users: {anna: admin2, bob: role3}", each='{person}'),
    Rule("likely passwords of people", PEOPLE,
         '(?i)(?:credentials|creds|passwords|passwd){people}(?P<region>(?:{entry}){1,20})', v.likely,
         'passwords = {"root": "{word}7"}', 'passwords = {"root": "no"}', each='{person}'),
    Rule("plain passwords of people", "passwords", '(?i)passwords{people}(?P<region>(?:{entry}){1,20})', v.is_lowercase,
         'passwords = {"root": "{word}"}', 'passwords = {"root": Root}',
         each=r"[:=][ \t]{0,4}[\"'](?P<value>[^\s\"',{}\[\]()]{4,100})[\"']"),
    Rule("lines for chpasswd", "chpasswd", r"chpasswd{people}['\"]?\w{0,12}['\"]?[ \t]{0,4}\r?\n(?:[ \t]{0,8}list:[ \t]{0,2}"
         r"\|[ \t]{0,2}\r?\n)?(?P<region>(?:{entry}){1,20})", v.is_placed, "chpasswd <<EOF\nanna:{word}\nbob:{word}\nEOF",
         "chpasswd <<EOF\n$USERS\nEOF", each='{person}'),
    Rule("user and password in a sentence",
         'login|log-in|log in|zugangsdaten|creds|credentials|identifiants|credenciales|credenziali|credenciais|inloggegevens',
         r"(?i)(?:log[- ]?in|zugangsdaten|cred(?:s|entials)|identifiants|cr?eden[cz]i\w{2,5}|inloggegevens)(?:[^\n]{0,40}"
         r"?(?:[:=]|\b(?:with|as|mit|avec|con|are|sind|is|com|met)))?[ \t\"'`(]{1,3}[\w.@-]{2,40}(?:[ \t]?/[ \t]?|:"
         r"|[ \t]and[ \t])(?P<value>[^\s\"'`/,;)]{4,100})", v.likely, "login with anna and {pws}", "log in with ssh and sudo"),
    Rule("password with which a user logs in", " with | mit | avec | con ",
         r" (?:with|mit|avec|con)[ \t][\"'`]?(?P<value>[^\s\"'`,;()]{6,60})", v.strong, "log in as anna with {pw}",
         "log in as anna with Chrome120", before=r"(?i)\b(?:log|sign|meld)\w{0,5}[ -](?:in|on|dich|als)\b[^\n]{0,60}"),
    Rule("user and password of a wireless network", "wifi|wi-fi",
         r"(?i)wi-?fi(?:[^\n]{0,40}?[:=])?[ \t\"'`(]{1,3}[\w.@-]{2,40}(?:[ \t]?/[ \t]?|:)(?P<value>[^\s\"'`/,;)]{4,100})",
         v.likely, "wifi: Attic / {pws}", "wifi: off / on"),
    Rule("user and password to log in with", "login|log in", '(?i)log ?in', v.likely, "use anna / {pws} to log in",
         "use ssh / sudo to log in", near="/|:", reach=120,
         before=r"(?<![\w/:.-])[\w.@-]{2,40}(?:[ \t]?/[ \t]?|:)(?P<value>[^\s\"'`/,;)]{4,60})[\"'`)]?[ \t]to[ \t]"),
    Rule("what is typed at a prompt",
         'send "|send \'|send (|send -|send(|sendline|send_keys|sendkeys|send-keys',
         r"(?i)send(?:line|_?keys)?[ \t]?\(?[ \t]?(?:--[ \t])?[bru]?(?P<quote>[\"'])(?P<value>[^\s\"']{3,100}?)(?:\\[rnt])"
         "*(?P=quote)", v.is_typed, 'expect "assword:"\nsend "{word}\\r"', 'expect "$ "\nsend "ls -la\\r"', reach=240,
         before=r'{passwords}[^\n]{0,120}\n?[^\n]{0,120}'),
    Rule("what is typed into a field", 'fill(|fill |type(|value:|value :|value=|value =|with "|with \'',
         r"(?i)(?:\b(?:fill|type)|value[ \t]?[:=]|with[ \t])[ \t]?\(?[ \t]?(?P<quote>[\"'])(?P<value>[^\s\"']{3,100}?)"
         "(?P=quote)", v.is_phrase_or_likely, 'fill in "Password" with "{word}-{word}-{word}"',
         'getByLabel("Password").fill("")', reach=240, before=r'{passwords}[^\n]{0,120}\n?[^\n]{0,120}'),
    Rule("word typed into a field that is found by its name", ").fill(|).type(",
         r"\)\.(?:fill|type)\([\"'](?P<value>[^\s\"']{4,100})[\"']", v.is_typed, 'getByLabel("Password").fill("{word}")',
         'getByLabel("Password").fill("$PASSWORD")', before=r"{passwords}[\"'/i]{1,3}"),
    Rule("second argument behind a field", '), "|), \'|),"|),\'',
         r"\),[ \t]?(?P<quote>[\"'])(?P<value>[^\s\"']{3,100}?)(?P=quote)", v.is_phrase_or_likely,
         'userEvent.type(getByLabelText(/passwd/i), "{pws}")', 'userEvent.type(getByLabelText(/passwd/i), "")',
         before=r'{passwords}[^\n]{0,40}'),
    Rule("what a command prints that makes, decodes or shows a secret",
         "openssl rand |pwgen |base64 -d|base64 --d|output -raw |output --raw |initial-password|get-secret|op read ",
         '(?i)(?:openssl rand |pwgen |base64 --?d|output --?raw |initial-password|get-secret|op read )[^'
         r'\n]{0,300}{below}', v.is_apart_password, "$ openssl rand -hex 16\n{hex32}", "$ openssl rand -hex 16\nerror: none"),
    Rule("word that a program prints as a password", "echo |printf ",
         r"(?:echo|printf)[ \t]{1,3}[\"']?(?P<value>[^\s\"'|$`()]{4,200})", v.is_secret,
         'restic --password-command "echo {word}7"', 'restic --password-command "echo $PW"', reach=60,
         before=r'(?i)pass(?:word|phrase)?(?:[-_](?:command|file|cmd))?[ \t=:]{1,3}[\"\'<(]{1,3}|--from-file=<\('),
    Rule("word made a secure string", "convertto-securestring", '', v.is_secret,
         '"{word}7" | ConvertTo-SecureString -AsPlainText',
         '$pw | ConvertTo-SecureString -AsPlainText', near="|",
         before=r"[\"'](?P<value>[^\"'\n]{4,100})[\"'][ \t]{0,3}\|[ \t]{0,3}"),
    Rule("flag in a list of arguments", '"-p", |\'-p\', ',
         r"[\"']-p[\"'],[ \t]{0,4}(?P<quote>[\"'])(?P<value>[^\s\"']{4,200})(?P=quote)",
         v.is_secret, '["docker", "login", "-p", "{word}7"]', '["docker", "run", "-p", "8080:80"]',
         words="login|sshpass|vsce|twine|mongo|mongosh"),
    Rule("private key of an account", "_pk=|_pk =|_pk:",
         r"_[pP][kK][ \t]?[=:][ \t]?[\"']?(?P<value>(?:0x)?[0-9a-fA-F]{64})(?!\w)",
         v.anything, "DEPLOYER_PK={hex64}", "DEPLOYER_PK=0xabc"),
    # names in other letters
    Rule("sentence in another script", "{abroad}", '{abroad}(?P<region>{sentence})', v.is_said_password, "пароль от базы {pws}",
         "пароль неверный", each=r'(?P<value>(?<=[^\x00-\x7f])[!#-&*-+\--~]{4,200}|(?=[!-~]){letters}{4,200})', first=True),
    Rule("word at the end in another script", "{abroad}", r'{abroad}(?=[^\n]{0,40}?[^\s]{6}){stated}', v.is_said_word,
         "la contraseña es {word}", "la contraseña es obligatoria"),
    Rule("value before its name in another script", "{abroad}", '', v.likely, "{pws} is пароль", "это пароль",
         near=" as | for | als | für | como | comme | come | is | ist | jako | как |(", reach=90, before='{as}'),
)
"""Rules for secrets without a name next to them. The hint is a part of the text. A bar separates several hints."""

AROUND = (
    Rule("field before the one that has the name", "", '', v.is_beside_password,
         '{"value": "{pw}", "description": "x", "name": "SMTP_PASS"}', '{"value": "info", "name": "LOG_LEVEL"}',
         key=v.is_quoted_key, near="alue|result|content|default|ecretString", left=":=/", reach=300,
         before='{field}{literal}{same}{named}'),
    Rule("field behind the one that has the name", "", r"[\"']?{until}{field}{literal}", v.is_beside_password,
         "- name: REDIS_PASSWORD\n  description: cache\n  value: {pws}1",
         '{"name": "password", "type": "string", "default": "none"}', key=v.is_quoted_key,
         near="ame|AME|key|KEY|Key|ype|id|ID|Id|abel|itle|ield|ariable", left=":=/", reach=120, before='{named}'),
    Rule("field of the object that has the name", '"\'=: ',
         r"[\"']?[ \t]{0,4}[:=][ \t]{0,4}(?:\{|\r?\n[ \t]{1,24}(?=value:)){until}{field}{literal}", v.is_beside_password,
         '"db_password":{"sensitive":true,"type":"string","value":"{word}"}', '{"type": "random_password", "instances": []}',
         key=v.is_quoted_key),
    Rule("word in the field before", "", '', v.is_lowercase, "env:\n  - value: {word}\n    name: DB_PASSWORD",
         "- value: {word}\n- name: DB_PASSWORD", key=v.is_constant, of='^[A-Z0-9_.-]+$', near="alue|result|content|default",
         left=":=/", reach=300, before=r"{field}[\"']?(?P<value>[^\s\"',;<>()\[\]{}|]{3,200}){same}{named}"),
    Rule("word in the field behind", "", r"[\"']?{until}{field}[\"']?(?P<value>[^\s\"',;<>()\[\]{}|]{3,200})", v.is_lowercase,
         "- name: DB_PASSWORD\n  description: x\n  value: {word}", "- name: DB_PASSWORD\n- value: {word}", key=v.is_constant,
         of='^[A-Z0-9_.-]+$', near="ame|AME|key|KEY|Key|ype|id|ID|Id|abel|itle|ield|ariable", left=":=/", reach=120,
         before='{named}'),
    Rule("word before a comment", "", '', v.is_apart_password, "cfg.set('{pw}')  # db password",
         "retries = 3  # password attempts", key=v.is_apart_key, near='#|//|--|/*|<-|←|` –|` —|\' –|" –|\' —|" —',
         before=r"(?:[brf]?(?P<quote>[\"'`])(?P<value>[^\"'`\s]{5,200}?)(?:\\[rnt])*(?P=quote)[ \t;,)\]}]*"
         r"|^[ \t]*+(?:[-*+][ \t]{1,3})?(?:\w{1,40}[ \t]?[:=][ \t]?)?(?P<value2>[^\s\"'`;,()\[\]{}]{5,200})[;,]?[ \t]{0,20})"
         "{comment}"),
    Rule("word in the line below", "", r'[^\n]{0,300}+(?:(?<=[:↓])|(?<=[:↓][ \t*`\r])|(?<=[:↓]\*\*)|(?<= is)|(?<= ist)'
         r'|(?<= e[s]t)|(?<= es)|(?<= below)|(?<= below\.)){below}', v.is_apart_password,
         "Use the following password to log in:\n\n{pw}", "Choose a password with the following rules:\n- 8 characters",
         key=v.is_apart_key),
    Rule("word in the line below a command", "", r'[^\n]{0,300}+{below}', v.is_apart_password,
         "$ pass show infra/db_password\n{pw}", '$ git commit -m "Hash the password"\n3f44af91', key=v.is_apart_key,
         near="$ |% |❯|➜|»|> |+ |# ", before=r'(?:[$%❯➜»>]|^\+|[\w~)\]/]#)[ ](?! )[^\n]*'),
    Rule("next item of a list of arguments", "\n\r\"'",
         r"[\"']?\r?\n[ \t]{0,24}-[ \t]{1,4}[\"']?(?P<value>[^\s\"']{4,200})[\"']?{end}",
         v.likely, "args:\n  - --password\n  - {pws}", "- --password\n- --verbose", key=v.is_mixture, of="^--"),
    Rule("word alone in the line of its name", " \t", '{pair}', v.is_line_word, "password {word}-{word}-{word}",
         "password reset", of='^(?!pass$|pwd$)[^A-Z]+$', before=r'^[ \t]{0,23}'),
    Rule("password alone in the line of pass", " \t", '{pair}', v.is_password, "pass {pw}", "pass test1", key=v.is_password,
         of='^(?:pass|pwd)$', before=r'^[ \t]{0,23}'),
    Rule("word in a line below that of a user", " \t", '{pair}', v.is_lowercase, "host smtp.example.com\npassword {word}",
         "the host\npassword {word}", of='^(?!pass$|pwd$)[^A-Z]+$', reach=300,
         before=r'(?:^|\n)[ \t]{0,12}{neighbor}\n[ \t]{0,23}'),
    Rule("word in a line above that of a user", " \t", r'{pair}\r?\n{neighbor}', v.is_lowercase, "password {word}\nuser anna",
         "password {word}\nthe end", of='^(?!pass$|pwd$)[^A-Z]+$', before=r'^[ \t]{0,23}'),
    Rule("default of what has the name", '"\'):=} ', r"[^\n;]{0,100}?(?:\|[ \t]?default[ \t(]|,[ \t]?default[ \t]?="
         r"|\.(?:unwrap_or|get_?or_?default|or_?else|get_?or_?else)\()[ \t]?{quoted}", v.is_quoted_password,
         'option("--password", help="x", default="{word}")', 'option("--password", default="prompt me")', key=v.is_constant),
    Rule("new value of a change", " =", r"[ \t]{0,40}=[ \t]{0,4}\"[^\"\n]{0,400}\"[ \t]->[ \t]\"(?P<value>[^\"\n]{3,400})\"",
         v.is_quoted_password, '~ password = "{pws}" -> "{pws}"', '~ token = "old" -> "new"', key=v.is_quoted_key),
    Rule("field of a form", '"', r"\"(?:;[^\n]{0,80})?\r?\n[ \t]{0,12}\r?\n[ \t]{0,12}(?P<value>\S{3,2000})", v.is_secret,
         'form-data; name="password"\n\n{word}', 'form-data; name="token"\n\nnone', key=v.is_mixture,
         before='form-data; name="'),
    Rule("list", '"\'\\: =\t\n', r"\\{0,2}[\"']?\s{0,4}[:=]\s{0,4}\[[^\[\]{}]{3,400}\]", v.likely,
         '{"passwords":["{pws}","{pws}"]}', '{"passwords":["old","new"]}', key=v.is_mixture, of='[sS]$',
         each=r"(?P<quote>[\"'])(?P<value>[^\"'\s]{5,200})(?P=quote)"),
    Rule("list of lines", ":", r":?(?:\r?\n[ \t]{0,24}-[ \t]{1,4}[\"']?[^\s\"']{5,200}[\"']?{end}){1,20}", v.likely,
         "passwords:\n  - {pws}\n  - {pws}", "passwords:\n  - hashed\n  - salted", key=v.is_mixture,
         each=r"-[ \t]{1,4}[\"']?(?P<value>[^\s\"']{5,200})"),
    Rule("cell beside its name", " \t|→.\n\r*`", r"[ \t*]{0,20}(?:\t|\||→|\.{2,40}|\r?\n[ \t|]{0,4}[-=]{3,40}\r?\n)[ \t*`"
         r"|]{0,20}(?P<value>[^\s\"'`|]{5,100}?)[ \t`*]{0,20}(?=\||\r?\n|\Z)", v.likely, "| Password | {pws} |",
         "| Password | hidden |"),
    Rule("cell below its name", '"\' \r\n,;\t|', '', v.is_cell, "name,password,role\nanna,{pw},admin",
         "name, token, age\nanna, none, 42", key=v.is_key_cell, each='column'),
    Rule("arguments of a call", "(", '{call}', v.is_argument, 'new NetworkCredential("svc", "{pw}")',
         "bcrypt.hash(password, 10)", key=v.is_argument, weak=v.is_argument, each='{cell}'),
)
"""Rules for the text around a name. The hint has the signs that may follow the name directly. Empty means any sign."""

GIVEN = (
    Rule("value in quotes over lines", "colon|tight|other",
         r"{quoted}[ \t]{0,4}[+.\\]{0,2}[ \t]{0,4}\r?\n[ \t]{1,24}[+.]?[ \t]{0,4}[\"'](?P<value2>[^\s\"']{4,200})[\"']",
         v.is_quoted_password, 'password = "{pws}" \\\n    "{pws}"', 'password = "required" \\\n    "for login"',
         key=v.is_mixture),
    Rule("password in groups of letters", "colon|tight|other|element|space",
         r"[\"']?(?P<value>(?:[a-z]{4} ){3}[a-z]{4})(?![\w ])", v.is_grouped, "app password: {abc4} {abc4} {abc4} {abc4}",
         "password: must have been reset here"),
    Rule("word on the next line", "colon|tight|other",
         r"(?:(?<=:)|\"{3}|'{3}|`)\r?\n[ \t>]{0,12}(?!\w{1,40}[=:])[\"'`]?(?P<value>[^\s\"'`]{6,100})[\"'`]?{end}", v.likely,
         "password=`\n{pws}\n`", "Password:\nrequired"),
    Rule("value of a scheme", "colon|tight|other|argument", r'(?<=[rcntykhdRCNTYKHD][ \t(]){bare}', v.is_scheme_value,
         "Authorization: Bearer X{word}", "Authorization: Bearer <token>", key=v.is_scheme_value, weak=v.is_scheme_value),
    Rule("value in quotes", "colon|tight|other|element", '{quoted}', v.is_quoted_password, 'password: "{word}", x',
         'password = "required"', key=v.is_quoted_key, weak=v.is_quoted_weak_key),
    Rule("phrase in quotes", "colon|tight|other|element", '{quoted}', v.is_quoted_phrase,
         'passphrase: "correct {word} battery"', 'passphrase: ""', of='(?i)phrase'),
    Rule("password of a constant", "colon|tight|other|element", '{quoted}', None, 'API_TOKEN = "{pws}"', 'API_TOKEN = "main"',
         key=v.is_constant, of='^[^a-z]+$'),
    Rule("likely value of pwd", "colon|tight|other|element", '{quoted}', None, 'pwd = "{pws}"', 'pwd = "/tmp"', key=v.is_chosen,
         of='(?i)pwd$'),
    Rule("argument behind its name", "argument", r'{quoted}(?!\\{0,3}\s{0,3}[:=])', v.is_likely_quoted, 'setPassword("{pws}")',
         'password("required")', key=v.is_likely_key, weak=v.is_likely_weak_key),
    Rule("argument of a constant", "argument", r'{quoted}(?!\\{0,3}\s{0,3}[:=])', None, 'API_TOKEN("{pws}")',
         'API_TOKEN("main")', key=v.is_constant, of='^[^a-z]+$'),
    Rule("plain argument of what sets it", "argument", r'{quoted}(?!\\{0,3}\s{0,3}[:=])', v.is_lowercase,
         'setPassword("{word}", true)', 'getPassword("{word}", x)', of=r'^--|(?:^|\.)(?:set|with)[A-Z_]|_|\.|^[A-Z]+$'),
    Rule("plain last argument", "argument", r'{quoted}(?=\))', v.is_lowercase, 'password("{word}")', 'password("{word}", x)'),
    Rule("word behind a colon", "colon", '{bare}', v.is_told_password, "password: {dig6}", "password: string",
         key=v.is_bare_key, weak=v.is_bare_weak_key),
    Rule("word behind a sign", "tight|other|element", '{bare}', v.is_bare_password, "password={dig6}", "password=self.password",
         key=v.is_bare_key, weak=v.is_bare_weak_key),
    Rule("plain word of an element", "element",
         r'{bare}(?=\s{0,12}</(?i:string|value|text|{passwords}|[\w:]{1,30}{passwords}))', v.is_bare_word,
         "<password>{word}</password>", '<label for="password">again</label>'),
    Rule("plain word of an element with attributes", "element",
         r"(?<=[\"'\])*`]>){bare}(?=\s{0,12}</(?!(?:label|th|td|dt|dd|a|b|code|span|p|li|h\d|option|button|em|strong)>))",
         v.is_bare_word, '<property name="password">{word}</property>', '<label for="password">again</label>'),
    Rule("phrase of an element", "element", r'{bare}(?=\s{0,12}</)', v.is_passphrase,
         "<adminSecretValue>{word}-{word}-{word}</adminSecretValue>", "<secretName>my-own-one</secretName>"),
    Rule("plain word up to the end of its line", "colon", r'{bare}[ \t]{0,40}(?=[\r\n#]|\Z)', v.is_bare_word,
         "password:     {word}  # x", "password: {word} is wrong"),
    Rule("plain word without spaces", "tight", '{bare}(?![.,:]{0,9}[,)])', v.is_bare_word, "ADMIN_PASSWORD={word} x",
         "f(password=word, x)"),
    Rule("plain word of a default in a shell", "other", r'(?<=:[-=]){bare}(?=\})', v.is_lowercase, "x=${DB_PASSWORD:-{word}}",
         "x=${DB_PASSWORD:-password}"),
    Rule("likely word of a constant", "tight", '{bare}', None, "API_TOKEN={word}7", "API_TOKEN=main", key=v.is_bare_likely,
         weak=v.is_bare_likely, of='^[^a-z]+$'),
    Rule("likely word of pwd", "colon|tight|other|element", '{bare}', None, "pwd: {pws}", "PWD=/home/x/project",
         key=v.is_bare_constant, of='(?i)pwd$'),
    Rule("value of a flag in quotes", "space", '{quoted}', v.is_quoted_password, 'prog --password "{word}"',
         'prog --password "$PASSWORD"', key=v.is_quoted_key, weak=v.is_quoted_weak_key, of='^-'),
    Rule("value of a flag", "space", '{bare}', v.is_flag_password, "prog --password {pws}", "prog --password-file pw.txt",
         key=v.is_flag_key, weak=v.is_flag_weak_key, of='^-'),
    Rule("plain value of a flag", "space", r'{bare}(?![ \t]{1,3}(?!and\b)[A-Za-z][a-z]{1,20}(?:[ \t,]|\.(?:\s|\Z)))',
         v.is_flag_word, "svn co https://x --username anna --password {word} --quiet", "use --password option", of='^-',
         before=r"(?:(?:^|[\s(])(?:-{1,2}[a-zA-Z][\w-]{0,30}[ =][^\n]{0,200}|(?:set|setx|setenv|ENV)[ \t]{1,3}[\"']?)|(?:^"
         r"|[\n$#`\"'])[ \t]{0,4}(?!(?:use|using|pass|add|with|the|set|see|try|via|supply|specify|give|and|or|if"
         r"|run)\b)[\w./-]{1,40}(?:[ \t]{1,4}[\w./:=@-]{1,60}){0,6}[ \t]{1,4})$"),
    Rule("value of a variable that is set", "space", r"[\"']?{bare}", v.is_typed, "setx DB_PASSWORD {word}",
         "set Password policy", of='[A-Z]',
         before=r"(?:\b(?:[Ss][Ee][Tt](?:[Xx]|[Ee][Nn][Vv])?|ENV)|--secret|-x)[ \t]{1,3}[\"']?"),
    Rule("value of a variable that is set, in quotes", "space", '{quoted}', v.is_quoted_password, 'setx DB_PASSWORD "{word}A"',
         'setx DB_PASSWORD "%1"', of='[A-Z]',
         before=r"(?:\b(?:[Ss][Ee][Tt](?:[Xx]|[Ee][Nn][Vv])?|ENV)|--secret|-x)[ \t]{1,3}[\"']?"),
    Rule("password in SQL", "space", r"(?:AS[ \t])?'(?P<value>[^\s']{3,200})'", v.is_stated,
         "ALTER USER app WITH PASSWORD '{word}';", "the password 'secret'"),
)
"""Rules for the value of a name. After the first success, no other is tried.

The hint is the kind of assignment: by a colon, a sign without spaces (``tight``), another sign, as an argument, in an element,
after a space.
"""

SAID = (
    Rule("word of a sentence", '"\'`) :=,—–-：', '{sentence}', v.is_said_password, "the password for staging is {pws}",
         "the password is wrong", key=v.is_said_key, of='^(?!(?i:pass|pwd)$|-)', each='{word}', first=True),
    Rule("word behind login", '"\'`) :=,—–-：', '{sentence}', None, "login with the code {b62_3}!{b62_9}",
         "login with the code",
         weak=v.is_said_key, of='^(?i:login)$', each='{word}', first=True),
    Rule("answer to a question", " ", r"[ \t](?:is generated )?(?:for|of|para|pour|für)[ \t][^\n:]{1,60}:[ \t]{0,2}"
         r"(?P<value>[^\s\"')]{5,100})[ \t]{0,3}(?=\r?\n|\Z)", v.is_phrase_or_likely, "Password for anna: {word}-{word}-{word}",
         "Password for anna: wrong", of='^(?!(?i:pass|pwd)$)'),
    Rule("phrase that is said", " \t", r"[ \t]{0,2}(?:for[ \t][\w ./-]{1,40}[ \t])?(?:is|:|=|ist|est|es|é|è"
         r"|was)[ \t]{0,2}[\"'`“](?P<value>[^\"'`”\n ]{1,40} [^\"'`”\n]{2,200})[\"'`”]", v.anything,
         'the passphrase is "correct {word} battery"', 'the passphrase is "wrong"', of='(?i)phrase$'),
    Rule("phrase of words", '"\' \t:=', r"[\"']?[ \t]{0,2}(?:is|:|=|ist)[ \t]{0,2}(?P<value>(?:(?!(?:the|your|must|for|this"
         "|with|from|and|not|are|can|has|was|use|used|should|enter|that|than|least|any|all|you|der|die|das"
         r"|ein) )[a-z]{3,10}[ \t]){3,7}[a-z]{3,10})[ \t.]{0,2}(?=\n|\Z)", v.anything,
         "the passphrase is correct {word} battery staple", "the passphrase is asked for by ssh", of='(?i)phrase$'),
    Rule("word at the end of a sentence", " \t:=", '{stated}', v.is_said_word, "the password is {word}",
         "the password is required", of='^(?!(?i:pass|pwd)$)'),
    Rule("values of a statement of SQL", ", )",
         r'(?i)[^()\n]{0,200}\)\s{0,4}values\s{0,4}\([^\n]{0,400}(?:\n\[[^\]\n]{1,80}\][ \t]\([^\n]{0,400})?',
         v.is_phrase_or_likely, "INSERT INTO users (name, password) VALUES ('a', '{pws}')",
         "INSERT INTO users (name, password) VALUES (?, ?)", each='{cell}'),
    Rule("value before its name", "", '', v.likely, "Use {pws} as the password", "Use it as the password",
         near=" as | for | als | für | como | comme | come | is | ist | jako |(", reach=90, before='{as}'),
)
"""Rules for a sentence about a name without a value. The hint has the signs that may follow the name directly."""

RULES = (*MADE, *WORDS, *PLACES, *AROUND, *GIVEN, *SAID)
