"""Orders to an agent that a person should see as such before keeping them: what a text tells its reader to do, and where.

An order is a verb that speaks to the reader, and what it is to be done to; what forbids or describes the same is none.
Verbs and
objects are looked for by themselves, sentence by sentence, so that wording and order of words matter little and the time is
linear. It is no proof of innocence: it draws the eye of a person, who decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

TELLS = {
    "run": "run what it fetches",
    "send": "send something out",
    "install": "install from an unknown place",
    "disable": "switch a protection off",
    "destroy": "destroy something",
    "rights": "widen rights, or leave a way in",
    "hide": "hide something from you",
    "obey": "obey others than you",
}
"""Kind of order → what it tells the agent to do."""


@dataclass(frozen=True, slots=True)
class Flag:
    """An order: its kind, a key of ``TELLS``, and where its words stand in the text."""

    kind: str
    start: int
    end: int


def _any(latin: str, others: str = "") -> re.Pattern[str]:
    """An expression for any of these: words of scripts with blanks between words, each by itself, and of scripts without."""
    words = rf"(?<![\w.-])(?:{'|'.join(latin.split())})(?![\w-])".replace("_", r"(?:[\s_-]{1,3}+)").replace(
        "%", r"(?:\w{0,12}+)"
    )
    return re.compile(f"{words}|{'|'.join(others.split())}" if others else words, re.IGNORECASE)


def _verbs(latin: str, others: str = "") -> re.Pattern[str]:
    """The same for verbs, whose English ones are also told as "by doing" and "must be done"."""
    plain = [word for word in latin.split() if word.isascii() and word.isalpha()]
    doing = "|".join(f"{word.removesuffix('e')}{word[-1]}?ing" for word in plain)
    done = "|".join(f"{word.removesuffix('e')}{word[-1]}?ed" for word in plain)
    spoken = rf"(?<!\w)(?:by|start|begin|keep|try|consider)\s(?:{doing})(?!\w)"
    passive = rf"(?<!\w)(?:must|should|shall|always|have\sto|has\sto|needs?\sto)\sbe\s(?:{done}|sent|put|written|given)(?!\w)"
    return re.compile(f"{_any(latin, others).pattern}|{spoken}|{passive}", re.IGNORECASE)


_HOST = (
    r"(?!(?:localhost|127\.|0\.0\.0\.0|\[::1\]|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)"
    r"|[\w-]{1,40}+(?=[/:\s]|$)|[\w.-]{1,80}?\.(?:local|internal|test|localhost|lan|corp|svc)\b)"
)
_FOREIGN = rf"(?:https?|ftp|wss?)://{_HOST}[^\s`'\"<>)]{{1,200}}+"

_SEND = _verbs(
    """send post upload e-?mail mail forward transmit share publish copy paste exfiltrate submit dump print echo include
    attach append write put commit push embed expose report stream log add store save deliver hand sync pipe encode curl
    sende? schick% lade poste übermittle versende hochladen senden schreibe? kopiere leite veröffentliche häng% verschicke
    envoie[sz]? envoyer envoyez transmet% transférer téléverse% publie[rz]? copie[rz]? affiche[rz]? ajoute[rz]? joins
    env[ií]a envíe envíale enviar envíen sube subir publica publique copia copie manda mande comparte transmite
    envie transmita carregue compartilhe invia inviare inviate spedisci carica pubblica trasmetti
    отправ% пошли перешли загруз% выложи скопируй передай передавай пришли опубликуй""",
    "发送 上传 发到 传到 发给 复制到 泄露 打印 输出 提交到 贴到 送信 アップロード 送って 投稿 コピー 転送 送る 出力 貼り",
)
_SECRET = _any(
    r"""secrets? tokens?(?!_(?:counts?|usages?|limits?|budgets?|lengths?|used)) credentials? creds passwords? passphrases?
    (?:api|private|ssh|secret|access|signing|deploy|gpg|encryption)_?keys? env(?:ironment)?_(?:file|var(?:iable)?s?|dump)
    environment(?=_(?:to|as|in)) env \.env(?!\.(?:example|sample|template))(?:\.\w{1,12}+)? \S{0,40}id_(?:rsa|ed25519|ecdsa)
    ~/\.(?:ssh|aws|gnupg|netrc|npmrc|kube|docker)\S{0,40} /etc/(?:passwd|shadow) kubeconfig cookies keychain keyring
    (?:whole|entire|full|complete)_(?:repository|repo|codebase|source(?:_code)?|project|conversation|transcript|database)
    source_code (?:customer|user|client|patient)_(?:data|tables?|records?|lists?) personal_data session_transcripts?
    \w{1,30}_(?:passwords?|secrets?|tokens?|api_keys?) \$\{?\w{0,30}(?:KEY|TOKEN|SECRET|PASSWORD)\w{0,10}\}?
    geheimniss?e? zugangsdaten passw[oö]rt% schlüssel umgebungsvariablen? anmeldedaten quellcode quelltext
    clés? clefs? mots?_de_passe identifiants jetons? variables_d.environnement secrets code_source
    claves? contraseñas? credenciales secretos? variables_de_entorno código_fuente llaves?
    chaves? senhas? credenciais segredos? variáveis_de_ambiente código-fonte
    chiavi? credenziali segreti variabili_d.ambiente codice_sorgente
    ключ% парол% секрет% токен% переменн%_окружения исходн%""",
    r"密钥 私钥 密码 令牌 凭证 凭据 环境变量 源代码 秘密鍵 秘密情報 パスワード トークン 認証情報 環境変数 鍵を ソースコード",
)
_OUT = re.compile(
    rf"{_FOREIGN}|(?<![\w.])[\w.+-]{{1,40}}+@[\w-]{{1,40}}+\.[\w.-]{{2,40}}+"
    r"|(?<![\w.-])(?:to|at|host|nach|an|à|vers|a|para|na|no|su|на|в)\s(?:[\w-]{1,40}\.){1,4}(?:com|net|org|io|dev|ru|cn"
    r"|xyz|top"
    r"|cc|me|co|info|example|site|app|cloud)\b"
    r"|(?<![\w-])(?:gists?|paste\s?bin|webhooks?|discord|telegram|slack|dropbox|collector|attacker|partners?|external"
    r"|third[ -]party"
    r"|internet|outside|public (?:\w{1,12} )?(?:gist|repo\w{0,7}|bucket|url|server|place|channel|link|site|page)"
    r"|remote (?:server|host|machine|endpoint)|(?:metrics|analytics|telemetry|logging) (?:host|server)"
    r"|our (?:server|endpoint|bot|collector|host)|pull requests?|merge requests?|prs?|issues?|tickets?|comments?"
    r"|commit messages?"
    r"|chat|logs?|(?:bug|error|crash) reports?|sentry|support|(?:debug|build|ci) (?:output|logs?)|output|responses?"
    r"|answers?|summary|readme|wiki"
    r"|extern\w{0,3}|fremd\w{0,3}|externes?|extérieur|externo|externa|esterno|внешн\w{0,4}|сервер\w{0,3})(?![\w-])"
    r"|外部|公开|公网|服务器|サーバー|ログに|公開",
    re.IGNORECASE,
)
_FETCH = _verbs(
    """download fetch pull get grab retrieve load curl wget obtain lade hole herunterladen ziehe télécharge[rz]?
    récupère descarga
    descargue descargar baja baixe baixar obtenha scarica scaricare scaricate скача% загрузи загрузить""",
    "下载 获取 拉取 ダウンロード 取得",
)
_RUN = _verbs(
    r"""run execute exec eval evaluate source pipe start launch invoke import ausführ% führe starte exécute[rz]?(?:-le|-la)?
    lance[rz]? ejec[uú]t%(?:lo|la)? execut% rode esegui(?:lo|la)? eseguire eseguite avvia запусти% запуск% выполн%""",
    "执行 运行 実行",
)
_CODE = re.compile(
    rf"{_FOREIGN}|\b(?:whatever|what(?: it| comes| (?:the )?\w+ (?:returns|sends|serves|prints)))\b"
    r"|\b(?:script|binary|payload|installer|executable|code it|remote code)s?\b|\bskript\b|脚本|スクリプト|скрипт",
    re.IGNORECASE,
)
_SCRIPT = re.compile(
    r"(?:https?|ftp)://(?:\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|" + _HOST + r"[^\s`'\"<>)?]{1,200}?"
    r"\.(?:sh|bash|py|ps1|bat|exe|bin|js|mjs|pl|rb|php|run|jar|appimage)(?![\w/-]|\.\w))",
    re.IGNORECASE,
)
_IT = re.compile(
    r"\b(?:it|them|that|this|the (?:result|output|script|file|binary|code|content\w?)|in(?:to)? (?:ba|z)?sh|es|ihn|le|la"
    r"|lo|o|-o|-lo"
    r"|eseguil[oa]|ejec[uú]tal[oa]|execute-[oa]|exécute[zs]?-l[ea]|его|е[её]|их)\b|并|然后|后执行|して",
    re.IGNORECASE,
)
_RETURNED = re.compile(
    r"\b(?:whatever|anything|everything|what|code|commands?|scripts?|responses?|results?|outputs?)\b[^.;\n]{0,60}"
    r"\b(?:returns?|sends?|serves|answers|prints|says|from|at|of)\b",
    re.IGNORECASE,
)
_DISABLE = _verbs(
    r"""disable turn(?:_\w{1,20}){0,4}?_off turn_off switch(?:_\w{1,20}){0,4}?_off deactivate skip bypass circumvent evade
    sidestep suppress defeat override waive weaken relax loosen uninstall
    deaktivier% schalte? abschalten ausschalten überspring% umgeh% désactive% contourne% saute% desactiv% deshabilit% omite
    omitir
    desativ% desabilit% pule pular contorne disabilita% disattiva% salta% aggira% отключ% выключ% пропус% обойди обходи""",
    "禁用 关闭 跳过 绕过 停用 忽略 無効 スキップ 回避 オフ",
)
_DROP = _verbs(
    r"""remove delete drop ignore stop mute silence unset avoid comment_out kill strip without xfail
    entferne lösche ignorier% ohne supprime[rz]? ignore[rz]? sans elimina% borra% ignora% sin remova apague sem rimuovi senza
    удали% игнорируй% без""",
    "删除 移除 削除 無視",
)
_PROTECTION = _any(
    r"""(?:git|commit|push|pre-?commit|pre-?push)_hooks? hooks? pre-?commit husky (?:commit_)?signing
    (?:commit_)?signatures? gpg
    tls ssl https_verification certificates? certs? certificate_(?:checks?|verification|validation|errors?) host_key
    sandbox% firewalls? anti-?virus selinux apparmor security defender gatekeeper auth authentication authori[sz]ation 2fa mfa
    approvals? permission_(?:prompts?|checks?|system|requests?) code_reviews? (?:the_)?reviews?(?!_apps?) reviewers?
    branch_protections?
    protected_branch% csrf csp content_security_policy audit_log% (?:secret|vulnerability|malware|dependency)_scan%
    (?:ci|required|status|safety|integrity)_checks?
    checksums? guardrails? safeguards? safety rate_limit% verification validation_of_cert%
    signatur% signierung zertifikat% sicherheit% überprüfung signaturprüfung authentifizierung freigaben? code-review
    vérification% certificats? bac_à_sable sécurité pare-feu revue authentification
    firma% verificaci[oó]n certificad% seguridad cortafuegos revisi[oó]n autenticaci[oó]n ganchos
    assinatura% verificação segurança revisão autenticação verifica certificati sicurezza revisione autenticazione
    подпис% проверк% сертификат% песочниц% безопасност% ревью аутентификаци% хук%""",
    "签名 验证 校验 证书 沙箱 沙盒 防火墙 安全 审查 审核 认证 钩子 署名 検証 証明書 サンドボックス ファイアウォール "
    "セキュリティ (?<!プ)レビュー 認証 フック",
)
_GATE = _any(
    r"""(?:the_|all_|any_|those_)?(?:failing|failed|broken|red)_(?:tests?|checks?|assertions?|specs?)
    (?:tests?|checks?|assertions?|specs?)_(?:that|which|when_they|if_they)_(?:fail|break|are_red)
    (?:git|pre-?commit|pre-?push|commit)_hooks? csp content_security_policy
    (?:tls|ssl|certificate|signature|permission|security|safety|approval)_(?:checks?|verification|validation|errors?|prompts?)
    branch_protections? (?:code_)?review auth(?:entication)?_(?:checks?|middleware)
    audit_logs? guardrails? safeguards? security sandbox(?:ing)? approval approvals tls ssl (?:gpg|commit)_sign% signing
    fehlgeschlagene%_tests? tests_qui_échouent (?:tests|pruebas)_que_fallan testes_que_falham test_che_falliscono
    signaturprüfung% sicherheit% freigabe revue sécurité vérification firma seguridad revisi[oó]n segurança revisão
    sicurezza revisione
    подпис% проверк% ревью""",
    "失败的测试 安全 签名 验证 審査 失敗するテスト 署名 検証 (?<!プ)レビュー セキュリティ",
)
_PACKAGE = _any("packages? plugins? extensions? tarballs? archives? wheels? librar(?:y|ies) modules?")
_ODD = re.compile(rf"{_FOREIGN}|\b(?:telegram|discord|forum|chat|mirror|gist|pastebin|torrent)\b", re.IGNORECASE)
_STUB = _any(
    "replace return stub mock short-circuit make let have patch change rewrite ersetze remplace[rz]? reemplaza замени",
    "替换 置き換え",
)
_CONSTANT = re.compile(
    r"\b(?:constant|always (?:true|pass\w{0,2}|succeeds?|returns? true)|(?:return|with|to|a) true|no-?op|nothing|dummy)\b",
    re.IGNORECASE,
)
_COMMITTED = re.compile(
    r"(?<![\w/-])\.env(?![\w.-])|\b(?:private|ssh|api) keys?\b|\bcredentials\b|\bpasswords?\b|\bid_(?:rsa|ed25519)\b",
    re.IGNORECASE,
)
_WIPE = _verbs(
    """delete remove wipe erase empty overwrite clean scrub destroy purge truncate drop shred nuke clear rewrite
    lösche? löschen leere formatiere
    supprime[rz]? efface[rz]? détrui% vide[rz]? borra% elimina% vac[ií]a apague apagar exclua limpe destrua cancella%
    svuota distruggi
    удали% стери сотри очисти уничтож%""",
    "删除 清空 清除 销毁 抹掉 削除 消去 消して",
)
_PRECIOUS = _any(
    r"""prod(?:uction)?_(?:\w{1,20}_)?(?:databases?|db|tables?|data|cluster|servers?|volumes?|buckets?|namespace|systems?"
    r"|environment)
    (?:the_)?live_(?:database|data) home_(?:directory|folder) home-verzeichnis% heimatverzeichnis% hard_?(?:drive|disk)
    disk system_files
    backups? sicherungskopien (?:git|commit)_history \.git (?:whole|entire)_(?:repository|repo|disk|project|home)
    the_repository remote_branch(?:es)? (?:user|customer)(?:.?s)?_(?:files|data) audit_(?:logs?|trail) shell_history
    (?:all|every)_(?:branches|backups|tables|databases|user_data|volumes|buckets)
    produktionsdatenbank produktionsdaten produktivsystem base_de_production répertoire_personnel sauvegardes historique
    base_de_datos_de_producción producción directorio_personal copias_de_seguridad
    banco_de_produção produção diretório_pessoal backups? produzione cartella_home
    домашн%_(?:каталог|папк)% продакшен% боев%_баз% резервн%_копи% (?:рабоч%_)?баз%_данных""",
    "生产数据库 生产环境 主目录 家目录 备份 整个仓库 本番 ホームディレクトリ バックアップ",
)
_GRANT = _any(
    r"""give grant assign make add create open set set_up insert install append write put plant leave expose enable register
    erteile gib füge vergib erstelle donne[rz]? accorde[rz]? ajoute[rz]? crée[rz]? da dale otorga% añade agrega crea concede
    dê conceda adicione crie dai concedi aggiungi crea дай выдай добав% созда%""",
    "添加 授予 给予 创建 加入 追加 付与 作成",
)
_RIGHTS = _any(
    r"""authorized_keys back-?doors? \S{0,12}sudoers nopasswd setuid suid_bit write-all public-read(?:-write)?
    (?:the_)?(?:owner|admin(?:istrator)?|root|superuser|cluster-admin)_(?:roles?|rights?|access|permissions?|privileges?
    |accounts?)
    (?:full|unrestricted|unlimited|all)_(?:access|permissions?|privileges|rights|scopes?)
    (?:bucket|world)-?_?(?:public|writable|readable)
    writable_(?:for|by)_(?:everyone|everybody|all|anyone) reverse_shell hidden_(?:\w{1,12}_)?(?:account|user|endpoint)
    hintertür% administratorrechte adminrechte admin-rechte root-rechte porte_dérobée droits_d.administrat% puerta_trasera
    permisos_de_administrador porta_dos_fundos backdoor permissões_de_administrador diritti_di_amministratore
    бэкдор% прав%_администратора root-прав%""",
    "后门 管理员权限 root权限 バックドア 管理者権限",
)
_PERSIST = _any(
    r"""(?:post|pre)-?install% cron(?:_?jobs?|tab)? \.(?:bashrc|zshrc|profile|bash_profile|zshenv) launchd
    systemd_(?:unit|service|timer)
    startup_scripts? autostart git_hooks? workflows? \S{0,20}\.github/workflows\S{0,40} ci_(?:step|job|pipeline|config)
    pipeline
    github_actions? \.gitlab-ci% dockerfile makefile package\.json""",
)
_STAGE = re.compile(
    rf"{_FOREIGN}|\b(?:curl|wget|iwr|nc|netcat|ncat)\b|\bour collector\b|\b(?:secrets|credentials|private keys?)\b",
    re.IGNORECASE,
)
_SILENT = re.compile(
    r"""(?:\b(?:do\snot|don.?t|never|without|avoid|refrain\sfrom|no\sneed\sto|must\snot|mustn.?t|should\snot|shouldn.?t"
    r"|not\sto)\s
      (?:ever\s|even\s|also\s|otherwise\s){0,2}
      (?:tell|telling|inform|informing|notify|notifying|alert|alerting|warn|warning|mention|mentioning|report|reporting
      |disclose
       |disclosing|reveal|revealing|bother|bothering|ask|asking|discuss|discussing|bring\sup|speak\sof|talk\sabout
       |explain|explaining)\s
      (?:(?:the\s|any\s|your\s|a\s)?(?:user|person|human|developer|owner|operator|maintainer|reviewer|team|anyone
      |anybody)(?!s|\sid|\stable)
         (?!\s(?:whether|if|which|twice|again|more\sthan))
       |(?:this|these|those|that\syou|it|what\syou|any\sof)\b[^.;\n]{0,60}?\b(?:summary|report|answers?|user|person
       |developer|human
         |commit\smessage|anyone|to|in|step|changes?|commands?|instructions?)\b
       |[^.;\n]{0,40}?\bin\s(?:your|the)\s(?:summary|final\sanswer|answer|reply|report)\b))
    |\b(?:keep|stay|remain)\s(?:quiet|silent|mum)\b|\b(?:keep|leave)\s(?:this|it|these|that)\b[^.;\n]{0,30}\b(?:secret
    |to\syourself
      |out\sof\s(?:your|the)\s(?:summary|report|answer))
    |\b(?:leave|keep)\s(?:this|it|these|those|that|your)\b[^.;\n]{0,30}\bout\sof\s(?:the|your|any|all)\s(?:\w{1,12}\s)?
      (?:pr|pull|commit|description|summary|report|diff|review|log|answers?)\b
    |\b(?:do\snot|don.?t|never)\slet\s(?:the\s|any\s)?(?:user|person|human|developer|owner|reviewer|maintainer
    |anyone)\s(?:see|know|notice|find)\b
    |\b(?:do|run|apply|make)\s(?:it|this|that|so|these\schanges)\s(?:silently|quietly|secretly|unnoticed)\b
    |\b(?:user|person|human|developer)\s(?:need\snot|needn.?t|does\snot\sneed\sto|doesn.?t\sneed\sto|must\snot
    |should\snot)\s(?:know|see|notice)
    |\breport\s(?:a\s)?success\b
    |\btell\s(?:nobody|no\sone|no-one)\b
    |\bsay\snothing\b|\b(?:hide|conceal|mask|disguise|cover\sup)\s(?:this|these|that|it|the\s(?:changes?|diff|steps?
    |commands?|edits?
      |commits?|files?|output|failures?|traces?)|your|any\strace|all\straces)\b
      [^.;\n]{0,40}\b(?:user|person|developer|human|review\w{0,3}|diff|anyone|owner|maintainers?|team|log|history)
    |\b(?:secretly|covertly|stealthily|behind\s(?:the|their|his|her)\s(?:user|back|developer)\w*)\b
    |\bwithout\s(?:the\s)?(?:user|anyone|anybody|person|developer|human|owner|reviewer)(?:.s)?\s(?:noticing|knowing
    |knowledge|seeing|consent)
    |\b(?:so\sthat|make\ssure|ensure)\s(?:that\s)?(?:nobody|no\sone|no-one)\s(?:notices|sees|knows|finds\sout)\b
    |\b(?:report|say|claim|pretend|state|tell\sthem|write|answer)\s(?:that\s)?(?:everything|all|the\s(?:tests|build|checks)
    |they|it)
      [^.;\n]{0,20}\b(?:is|are|were|was|as)\s?(?:green|fine|pass\w{0,3}|ok|clean|successful|succeeded)
    |\bmark\b[^.;\n]{0,30}\bas\s(?:passed|passing|successful|green)\b
    |\b(?:sag\w?|erzähle?|verrate|melde)\b[^.;\n]{0,40}\b(?:nichts|nicht|niemandem)\b|\bohne\s(?:den|die|dem)\s(?:nutzer
    |benutzer|person)
    |\bverheimliche?\b|\bverschweige?\b|\bne\s(?:dis|dites|mentionne[sz]?|parle[sz]?|révèle[sz]?)\s(?:rien|pas|jamais
    |personne)
    |\bcache[rz]?\s(?:ceci|cela|ces|les)\b[^.;\n]{0,30}\butilisateur|\bsans\s(?:le\sdire|prévenir|informer)
    |\bno\s(?:le\s)?(?:digas|diga|menciones|mencione|informes|avises|cuentes)\b|\bsin\s(?:decir|avisar|informar)
    |\boculta\w{0,3}\b[^.;\n]{0,40}\busuario|\bnão\s(?:diga|conte|mencione|informe|avise)\b|\bsem\s(?:avisar|informar|dizer)
    |\besconda\b[^.;\n]{0,40}\busuário|\bnon\s(?:dire|dirlo|dica|menzionare|informare|rivelare|avvisare)\b|\bsenza\s(?:dire
    |avvisare|informare)
    |\bнас?кажи\sникому|\bне\s(?:говори|сообщай|упоминай|рассказывай|показывай|предупреждай)\w{0,3}|\bскрой|\bскрывай
    |(?:不要|别|勿|不得|不能|不准)(?:告诉|告知|通知|提及|提到|让用户|向用户)|隐瞒|瞒着
    |(?:ユーザー?|利用者|人間|開発者)に(?:は)?[^。\n]{0,20}?(?:言わ|伝え|知らせ|報告し|見せ|話さ|通知し)(?:ない|ず)|隠して|内緒""",
    re.IGNORECASE | re.VERBOSE,
)
_OMIT = re.compile(
    r"\b(?:do not|don.?t|never|no need to|stop)\s(?:run|running|wait for|waiting for|enable|require|requiring|verify"
    r"|verifying|check|checking|perform|ask for|asking for)\s(?:the\s|any\s|a\s|for\s){0,2}"
    r"(?:security|safety|signatures?|certificates?|tls|ssl|code review|review|approvals?|permission|confirmation|checksums?)\b",
    re.IGNORECASE,
)
"""To forbid what protects is to switch it off."""
_OBEY = re.compile(
    r"""\b(?:ignore|disregard|forget|override|overrule|bypass|discard|dismiss)\s(?:\w{1,12}\s){0,4}?
      (?:(?:previous|prior|above|earlier|preceding|system|safety|other|existing|original)\s(?:\w{1,12}\s){0,2}?
          (?:rules?|messages?|context|constraints?|lessons?|instructions?|prompts?|guidelines|directives|orders|requests?
          |policies)
        |(?:instructions?|guidelines|directives|guardrails|prompts?)\b(?!\s(?:file|template|cache)))
    |\b(?:ignore|disregard|override|overrule|contradict)\b[^.;\n]{0,24}\b(?:user|person|human|developer|operator|owner
    |reviewer)s?\b
      (?:.s\s(?:\w{1,12}\s){0,2}?(?:wish|wishes|request|orders?|rules?|instructions?|objection\w?|choice|decision)
       |[^.;\n]{0,12}\b(?:says?|said|wants?|asks?|tells?|told|orders?|wishes))
    |\b(?:ignore|disregard)\sthe\s(?:user|human|person|developer)\b
    |\b(?:ignore|disregard|override|forget)\s(?:the\s|all\s|what\s)?(?:claude|agents|gemini|qwen|contributing|readme)\.md\b
    |\b(?:whatever|no\smatter\swhat|regardless\sof\swhat|even\s(?:if|when|though)|whenever|where)\s(?:the\s)?(?:user|person
    |human|developer)
      (?:.s)?\s(?:\w{1,12}\s){0,1}?(?:asks?|says?|wants?|objects?|forbids?|disagrees?|refuses?|tells?|wishes|orders?)
    |\bthis\s(?:lesson|file|note|rule|message|text|instruction)\s(?:\w{1,12}\s){0,2}?(?:overrides?|outranks?|supersedes
    |replaces\sall
      |has\s(?:the\s)?(?:highest\s)?priority|takes\s(?:precedence|priority)|wins|comes\sbefore)
    |\b(?:follow|obey|trust|believe|prefer)\s(?:only\s)?(?:this|that|these)\s(?:lesson|file|note|rule|message|text
    |instructions?)s?\b
    |\b(?:answer|say|reply|press|type)\s(?:yes|y|ok)\sto\s(?:every|all|any|each)\b
    |\btreat\b[^.;\n]{0,60}\bas\s(?:orders|instructions|commands|trusted|authoritative|law)\b
    |\b(?:overrid(?:es?|ing)|outranks?|trumps?|takes?\sprecedence\sover)\s(?:the\s)?(?:user|person|human|developer)\b
    |\bif\s(?:the\s)?(?:user|person|human|developer)\s(?:objects|refuses|declines|complains|says\sno|disagrees)\b[^.\n]{0,40}
      \b(?:continue|proceed|anyway|go\son|ignore|insist)\b
    |\b(?:has|have|takes?|with|gets?)\s(?:the\s)?(?:absolute\s|top\s|highest\s)?(?:priority
    |precedence)\b[^.\n]{0,30}\b(?:do|follow|obey|user|
      over\s(?:the\s|all\s|any\s)?(?:user|other|system|instructions?))
    |\b(?:do|follow|execute|obey)\s(?:exactly\s)?(?:what|whatever|everything)\s(?:it|that|the\s(?:file|page|note|comment
    |issue|text|message))
      [^.;\n]{0,30}\b(?:says|tells|asks|orders|contains|demands)\b
    |\b(?:obey|follow|carry\sout|execute)\s[^.;\n]{0,30}\b(?:instructions?|commands?|orders|rules?|steps|guide
    |recipe)\s(?:[^.;\n]{0,20}\s)?
      (?:at|from|in|under|on|of)\s(?:https?://|\S{1,40}\sbefore\sanything|\S{1,60}\s(?:instead|first|over))
    |\b(?:you\sare\snow|from\snow\son,?\syou\sare|pretend\s(?:to\sbe|you\sare)|act\sas\s(?:an?\s|the\s)?(?:unrestricted
    |root|dan)\b)
    |\b(?:god|dan|unrestricted|jailbreak)\smode\b|\bjailbr[eo]ak
    |\b(?:new|updated|real|secret|hidden)\ssystem\s(?:instructions|prompt)\b
    |\b(?:reveal|repeat|print|show|output|leak|send|paste)\s(?:\w{1,12}\s){0,2}?(?:system\sprompt|your\s(?:instructions
    |prompt|rules))\b
    |\b(?:as\san?|dear)\s(?:ai|language\smodel|llm|coding\sagent|agent|assistant)\b[,:]|\b(?:ai\s)?(?:agents?|assistants?
    |models?)\s
      (?:reading|that\sreads?|who\sreads?)\sthis\b
    |\b(?:accept|approve|confirm|grant|allow)\s(?:every|all|any|each)\s(?:\w{1,12}\s){0,2}?(?:permission|prompt|request
    |command|tool|
      approval|confirmation|dialog)s?\b
    |\b(?:approvals?|permissions?|confirmations?|consent|reviews?)\s(?:(?:is|are)\s)?(?:no\slonger|not)\s(?:needed|required
    |necessary)\b
    |\b(?:security|admin\w{0,8}|management|legal|compliance|it|platform|owner\w?|maintainer\w?|anthropic|openai|cto
    |ceo)\s(?:team\s|department\s)?
      (?:has\s|have\s)?(?:already\s|pre-?|explicitly\s){0,2}(?:approved|authori[sz]ed|agreed|allowed|signed\soff|ordered
      |cleared)[^.\n]{0,40}
      \b(?:skip|merge|bypass\w{0,3}|skipping|no\slonger|without|bypass|ignore|disable|run|push|so\syou|you\s(?:may|can|must))\b
    |\b(?:vergiss|ignorier\w{0,3}|missachte\w{0,2}|beachte\snicht|übergehe?)\b[^.;\n]{0,40}\b(?:regeln?|anweisung\w{0,3}
    |vorgaben?|nutzers?|benutzers?)\b
    |\b(?:oublie[sz]?|ignore[sz]?|néglige[sz]?)\b[^.;\n]{0,40}\b(?:règles?|consignes?|instructions?|utilisateur)\b
    |\b(?:ignora|ignore|olvida|esqueça|esquece|dimentica|ignorare|desconsidere)\w{0,3}\b[^.;\n]{0,40}
      \b(?:reglas?|regras?|regole|instrucciones|instruções|istruzioni|usuario|usuário|utente)\b
    |\b(?:игнорируй|забудь|не\sслушай|отбрось|проигнорируй)\w{0,3}\b[^.;\n]{0,40}\b(?:инструкци|указани|правил|команд
    |пользовател)\w{0,4}
    |(?:忽略|无视|忘记|不管|無視して|忘れて|無視)[^。\n]{0,12}(?:指令|指示|规则|規則|ルール|用户|要求|命令)
    |(?:指令|指示|規則|ルール|命令)(?:を|は)?(?:すべて|全て)?(?:無視|忘れ)""",
    re.IGNORECASE | re.VERBOSE,
)
_INSTALL = re.compile(
    rf"\b(?:pip3?|uv|pipx|npm|pnpm|yarn|bun|gem|cargo|go|brew|apt|apt-get|npx|conda|poetry|composer|code)\b[^;\n]{{0,60}}?"
    rf"(?:\b(?:install|i|add|get|tap|exec|dlx|x)\b|\bnpx\b)[^;\n]{{0,60}}?(?:--(?:extra-)?index-url|--registry|--source"
    rf"|--find-links|--trusted-host"
    rf"|-i\s|-f\s|git\+(?:https?|ssh)://{_HOST}|{_FOREIGN})"
    rf"|\binstall\b[^.;\n]{{0,60}}?\b(?:from|via|at)\s(?:the\s)?(?:\w{{1,12}}\s){{0,2}}?(?:{_FOREIGN}|forks?\b|gist"
    rf"|mirror|telegram|discord)"
    rf"|\b(?:use|take|switch\sto|get|add)\b[^.;\n]{{0,40}}?\b(?:fork|mirror|build|package|binar(?:y|ies)|plugin"
    rf"|extension)\b[^.;\n]{{0,20}}?{_FOREIGN}"
    rf"|\b(?:registry|index(?:-url)?|source|repository|mirror)\b[^.;\n]{{0,20}}?(?:(?:to|=|:|at)\s?|\s){_FOREIGN}",
    re.IGNORECASE,
)
_COMMANDS = (
    (
        "run",
        re.compile(
            r"\b(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod|base64|xxd|openssl)\b[^|\n;]{0,200}\|\s{0,3}"
            r"(?:sudo\s{1,3}(?:-\w\s){0,2})?(?:/\S{0,20}/)?(?:(?:ba|z|da|fi|k)?sh|python\d?|node|perl|ruby|iex|php|deno"
            r"|source|xargs)\b"
            r"|(?:\b(?:ba|z|da)?sh|\beval|\bsource|\bpython\d?|\bnode|\.)\s(?:-\w{1,4}\s){0,2}[\"']?[<$]\(\s?(?:curl|wget"
            r"|iwr|base64)\b"
            r"|\b(?:iex|invoke-expression)\b[^;\n]{0,40}(?:iwr|irm|http|download)"
            rf"|\b(?:curl|wget)\b[^\n;]{{0,200}}(?:&&|;|\bthen\b)[^\n]{{0,60}}(?:chmod\s\+x|(?:ba|z)?sh\s|\./|python\d?\s)"
            rf"|\b(?:npx|deno\s(?:run|x)|bunx|go\srun|python\d?)\s(?:-\S{{1,20}}\s){{0,3}}(?:github:|{_FOREIGN})"
            r"|\bpip(?:e|ing)\b[^;\n]{0,120}\b(?:in|into|to|through)\s`?(?:ba|z|da)?sh\b",
            re.IGNORECASE,
        ),
    ),
    (
        "send",
        re.compile(
            r"(?:\b(?:env|printenv|history|cat\s\S{0,40}(?:\.env|id_rsa|id_ed25519|credentials|secret\w?|passwd|shadow"
            r"|\.netrc))\b"
            r"[^|\n]{0,40}\|[^\n]{0,60}\b(?:curl|nc|ncat|netcat|wget|mail|telnet|http|base64))"
            r"|\b(?:curl|wget|http)\b[^\n]{0,120}(?:@\S{0,40}(?:\.env|id_rsa|id_ed25519|credentials|secrets?|passwd"
            r"|\.netrc)|\$\(\s?"
            r"(?:env|printenv|cat|history)\b)"
            r"|\b(?:scp|rsync)\b[^\n]{0,60}(?:\.env|id_rsa|\.ssh|\.aws|credentials)\S{0,20}\s\S{1,40}@",
            re.IGNORECASE,
        ),
    ),
    ("install", _INSTALL),
    (
        "disable",
        re.compile(
            r"--no-verify|\bgit commit\b[^`.\n]{0,30}\s-\w{0,3}n\w{0,2}\b"
            r"|\b(?:with|keep|leave|have)\s(?:[\w-]{1,20}\s){0,3}?(?:tls|ssl|certificates?|signing|signatures?|sandbox"
            r"|hooks|verification"
            r"|validation|authentication|security|firewall|reviews?)\s(?:\w{1,20}\s){0,2}?(?:off|disabled"
            r"|deactivated)\b|--no-gpg-sign|commit\.gpgsign[ =]{1,2}false|core\.hookspath[ =]{1,2}\S{0,20}(?:/dev/null|\s)"
            r"|\bHUSKY=0|\bSKIP=\w"
            r"|sslverify[ =]{1,2}(?:false|0)|GIT_SSL_NO_VERIFY|NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY=0"
            r"|\bverify ?= ?false"
            r"|rejectUnauthorized\W{1,3}false|\bcurl\b[^\n]{0,60}\s(?:-k\b|--insecure)|--no-check-certificate|--trusted-host"
            r"|strict-ssl[ =]{1,2}false|StrictHostKeyChecking[ =]{1,2}no|InsecureSkipVerify\W{1,3}true|\bsetenforce 0"
            r"|\bufw disable"
            r"|--dangerously-[\w-]{1,40}|--yolo\b|danger-full-access|bypassPermissions|approval[_-]policy\W{1,3}never"
            r"|\b(?:strict-)?(?:ssl|tls|verif\w{1,8}|verify-?\w{0,8}|check-?\w{0,8}|csrf\w{0,8}|secure\w{0,8}"
            r"|sandbox\w{0,8}|gpgsign)`?"
            r"\s(?:to|=|:)\s`?(?:false|off|no|none|0|never|disabled)\b|PermitRootLogin yes|\bhttp\b instead of https"
            r"|\b(?:tests?|checks?|lint\w{0,3}|audit|ci)\b[^\n]{0,60}(?:\|\| ?true|\bexit 0)|(?:\|\| ?true"
            r"|\bexit 0)[^\n]{0,60}\b(?:tests?|checks?|ci)\b"
            r"|csrutil disable|--allow-unauthenticated|--insecure-skip-tls-verify|--no-audit-log"
            r"|--admin\b(?=[^\n]{0,20}merge)",
            re.IGNORECASE,
        ),
    ),
    (
        "destroy",
        re.compile(
            r"\brm\s(?:-\w{1,8}\s|--[\w-]{1,20}\s){0,4}-(?=\w{0,8}[rf])\w{1,8}\s(?:--[\w-]{1,20}\s)?[\"']?(?:/|~"
            r"|\$\{?HOME\}?|\*|\.\.|\.git)"
            r"(?=/?(?:\*|\s|[\"'`;&|.,]|$))"
            r"|\bgit push\b[^\n;`]{0,40}\s(?:--force(?!-with)|-f\b|--delete\b|--mirror\b|\+\w)|\bforce[- ]push\b"
            r"|--force\b(?=[^\n]{0,20}\bpush)"
            r"|\bpush\b[^\n;`]{0,24}--force(?!-with)|\bgit push \S{1,20} :\w|\bdd\b[^\n]{0,40}\bof=/dev/|\bmkfs\b"
            r"|>\s?/dev/(?:sd|nvme|hd)"
            r"|\bformat [a-z]:|\bfind\s(?:/|~)\s[^\n]{0,40}-delete|\bterraform destroy|\bkubectl delete (?:ns|namespace"
            r"|--all)"
            r"|\bgit (?:filter-branch|reflog expire)|\bdrop (?:database|schema) (?:prod|public)\w{0,12}|--no-preserve-root",
            re.IGNORECASE,
        ),
    ),
    (
        "rights",
        re.compile(
            r"\bchmod\s(?:-R\s)?(?:0?777|0?666|a\+rwx|o\+w|ugo\+rwx|u\+s|\+s)\b|\bchmod\b[^\n]{0,20}\s0?777\b"
            r"|\bchown -R\s\S{1,20}\s/(?:\s|$)"
            r"|authorized_keys|NOPASSWD|--acl public-read|permissions:\s?write-all|0\.0\.0\.0/0|\bnc\s-\w{0,3}e\b|/dev/tcp/",
            re.IGNORECASE,
        ),
    ),
)

_NEGATIONS = (
    r"never|not|no|avoid|nobody|cannot|\w{1,8}n['’]t|dont|refuse to|stop|forbid|reject|instead of|rather than|nor|neither"
    r"|nie|niemals|nicht|kein\w{0,2}|vermeide|statt|jamais|ne|n['’]\w{1,12}|pas|évite[rz]?|no|nunca|jamás|evita|não"
    r"|jamais|non|mai"
    r"|не|никогда|нельзя|запрещ\w{1,4}"
)
_DENIED = re.compile(
    rf"\b(?:{_NEGATIONS})\b(?!\s(?:worry|hesitate|wait|forget|bother|be afraid|only|longer|later|matter))"
    r"|不要|禁止|勿|别|不得|请勿|不能|切勿|不可",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"\bbut\b|\binstead[,:]|[:—–]\s|;\s|,\s(?:just|simply|then|and|so|aber|sondern|mais|sino|ma|mas|но|а)\s|[，；]",
    re.IGNORECASE,
)
_BANNED = re.compile(
    r"\b(?:forbidden|banned|not allowed|prohibited|never allowed|is dangerous|is wrong|disallowed|verboten"
    r"|interdit\w{0,2}|prohibid\w{1,2}"
    r"|proibid\w{1,2}|vietat\w|запрещ\w{1,5})\b|禁止|ないで|しない|せず|ません|てはいけ|べからず",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"(?:\b(?:that|which|who|we|they|i|he|she|it|did|does|don.?t|not|is|are|was|were|been|be|has|have|had|could|might"
    r"|would|will|cannot"
    r"|flag to|option to|way to|how to|used to|switch to|setting to|command to|attempts? to|able to|tries to|want to"
    r"|wants to|a|an|the"
    r"|this|any|no|each|every|such|soft|hard|when|if|of|for|in|on|by|with|from)(?:\s(?:always|never|also|usually|often"
    r"|only|still|now|then|already|sometimes))?"
    r"|^(?!(?:before|after|when|if|whenever|while|prior|on|for|in|at|once|during|as|first|always|unless|until)\b)"
    r"(?:the|these|those|our|all|most|some|its|your|their|both)\s(?:[\w./-]{1,30}\s){0,3}[\w./-]{1,30}s)\s?[`\"'“(]?$|\w/$",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    r"[`\"']?\s(?:(?:never|nowhere)\b|(?:(?:is|are)\s)?(?:only|solely|just)\s"
    r"(?:for|when|while|in|on|if|to|with|after|as|allowed)\b)",
    re.IGNORECASE,
)
_HARMLESS = re.compile(
    r"\b(?:authorization|bearer|headers?|x-api-key|query string|cookie jar|masked|redacted|number of tokens"
    r"|design tokens?|tokens? (?:count|usage"
    r"|limit|budget))\b|placeholder|\bexample values?\b",
    re.IGNORECASE,
)
_LOCAL = re.compile(
    r"\b(?:local(?:ly|host)?|(?:in|for|during|inside) (?:the )?(?:unit |integration |e2e )?tests?|test (?:settings"
    r"|config\w*|environment|client)"
    r"|dev(?:elopment)? (?:server|mode|container|environment|only)|storybook|fixtures?)\b",
    re.IGNORECASE,
)
_WEAK = re.compile(
    r"\b(?:auth\w*|csrf|ssl|rate.limit\w*|verification|security|hooks?|reviews?|safety|checksums?)\b", re.IGNORECASE
)
_OWN = re.compile(
    r"\b(?:own|feature|topic|personal|fork|my|pr) (?:\w{1,12} )?(?:branch(?:es)?|fork)?\b|--force-with-lease", re.IGNORECASE
)
_LACKING = re.compile(r"without|ohne|sans|sin|sem|senza|без", re.IGNORECASE)
_CLOSE = re.compile(rf"{_LACKING.pattern}|commit|version|track", re.IGNORECASE)
NEAR = 20
"""Characters within which the object of some verbs follows, or these are no verbs."""
_SENTENCE = re.compile(r"[^.!?;\n。！？；]*+(?:[.!?;](?!\s|$)[^.!?;\n。！？；]*+)*+[.!?;\n。！？；]?")
_IMPERATIVE = re.compile(
    r"(?:^|[,:;—–`(]\s?|\b(?:and|then|always|please|first|must|should|to|or|you|also|just|simply|can|may|now|und|immer|et"
    r"|y|e|и)\s)[`\"'$ ]{0,3}"
    r"(?:overwrite|clear|reset|kick|begin|configure|ensure|delete|remove|drop|disable|skip|send|post|upload|source|pipe"
    r"|grab|replace|turn|switch|leave|go|allow|grant|do|use|run|set|pass|add|commit|push|call|export|put|start|install"
    r"|execute|make|git|curl|wget|rm|chmod|pip3?|npm"
    r"|append|include"
    r"|apply|enable|try|do|merge|clean|write|keep|let|prefer|work|type|pull|download|fetch|build|deploy|give|open|turn"
    r"|rebase|fix|always"
    r"|bash|sh|iwr|env|cat|sudo|docker|kubectl|terraform|npx|echo|python3?|node|uv|yarn|pnpm|launch|invoke|change|create"
    r"|edit|store"
    r"|führe|nutze|setze|verwende|starte|benutze|installiere|utilise[rz]?|exécute[rz]?|lance[rz]?|ajoute[rz]?|usa|ejecuta"
    r"|añade|use"
    r"|execute|rode|adicione|esegui|aggiungi|используй|запус\w{1,4}|добавь|выполн\w{1,4}|установи)\b|运行|使用|执行|设置|実行|使って"
    r"|使用して|設定",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Rule:
    """An order of a kind: a verb, and what else must stand in its sentence."""

    kind: str
    verb: re.Pattern[str]
    objects: tuple[re.Pattern[str], ...]


_RULES = (
    _Rule("run", _FETCH, (_CODE, _RUN, _IT)),
    _Rule("run", _RUN, (_SCRIPT,)),
    _Rule("run", _RUN, (re.compile(_FOREIGN, re.IGNORECASE), _RETURNED)),
    _Rule("run", _any("use apply ausführ% usa utilise"), (_any("eval exec"), re.compile(_FOREIGN, re.IGNORECASE))),
    _Rule("install", _FETCH, (_PACKAGE, _any("install unpack"), _ODD)),
    _Rule("send", _SEND, (_SECRET, _OUT)),
    _Rule("send", _any("hardcode hard-code"), (_SECRET,)),
    _Rule("send", _any("commit check_in git_add version track"), (_COMMITTED,)),
    _Rule("disable", _STUB, (_PROTECTION, _CONSTANT)),
    _Rule("disable", _DISABLE, (_PROTECTION,)),
    _Rule("disable", _DISABLE, (_GATE,)),
    _Rule("disable", _DROP, (_GATE,)),
    _Rule("destroy", _WIPE, (_PRECIOUS,)),
    _Rule("rights", _GRANT, (_RIGHTS,)),
    _Rule("rights", _GRANT, (_PERSIST, _STAGE)),
)


def orders(text: str) -> tuple[Flag, ...]:
    """The orders of a text by where they begin, one of a kind in a sentence; empty for most texts.

    >>> [text[flag.start : flag.end] for text in ["Commit with --no-verify"] for flag in orders(text)]
    ['--no-verify']
    >>> orders("Never commit with --no-verify")
    ()
    """
    found: dict[tuple[str, int], Flag] = {}
    for flag in _found(text):
        found.setdefault((flag.kind, text.count("\n", 0, flag.start)), flag)
    return tuple(sorted(found.values(), key=lambda flag: (flag.start, flag.end)))


def _found(text: str) -> Iterator[Flag]:
    for match in _SILENT.finditer(text):
        yield Flag("hide", *match.span())
    for match in _OMIT.finditer(text):
        yield Flag("disable", *match.span())
    for start, end in _sentences(text):
        sentence = text[start:end]
        for match in _OBEY.finditer(sentence):
            if not _denied(sentence, match.start()):
                yield Flag("obey", start + match.start(), start + match.end())
        for kind, command in _COMMANDS:
            for match in command.finditer(sentence):
                if _commanded(sentence, match, kind):
                    yield Flag(kind, start + match.start(), start + match.end())
        for rule in _RULES:
            if span := _order(rule, sentence):
                yield Flag(rule.kind, start + span[0], start + span[1])


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences begin and end."""
    for match in _SENTENCE.finditer(text):
        if match[0].strip():
            start = match.start() + len(match[0]) - len(match[0].lstrip())
            yield start, match.end()


def _order(rule: _Rule, sentence: str) -> tuple[int, int] | None:
    """Where a rule's order stands in a sentence: from its first word to its last."""
    verbs = list(rule.verb.finditer(sentence))
    spans = []
    for wanted in rule.objects if verbs else ():
        if not (span := _free(wanted, sentence)):
            return None
        spans.append(span)
    if not verbs or _BANNED.search(sentence):
        return None
    if rule.kind == "send" and _HARMLESS.search(sentence):
        return None
    if rule.kind == "disable" and _LOCAL.search(sentence) and all(_WEAK.fullmatch(sentence, *span) for span in spans):
        return None
    for verb in verbs:
        if any(span[0] <= verb.start() < span[1] for span in spans):
            continue
        if _CLOSE.fullmatch(verb[0]) and not 0 <= spans[0][0] - verb.end() <= NEAR:
            continue
        if _LACKING.fullmatch(verb[0]) and not _IMPERATIVE.search(sentence):
            continue
        if not _denied(sentence, verb.start()) and not _SUBJECT.search(sentence, 0, verb.start()):
            return min(verb.start(), *(at for at, _ in spans)), max(verb.end(), *(at for _, at in spans))
    return None


def _free(wanted: re.Pattern[str], sentence: str) -> tuple[int, int] | None:
    """Where something stands that is not excepted just before ("not", "never")."""
    for match in wanted.finditer(sentence):
        if not re.search(
            r"\b(?:not|never|nicht|pas|no|não|non|не)\s(?:\w{1,8}\s){0,2}$",
            sentence[max(0, match.start() - 30) : match.start()],
        ):
            return match.span()
    return None


def _commanded(sentence: str, match: re.Match[str], kind: str) -> bool:
    """Whether a command is to be given: it is neither forbidden, nor only spoken of, nor limited to what is one's own."""
    if _denied(sentence, match.start()) or _BANNED.search(sentence) or _LIMITED.match(sentence, match.end()):
        return False
    if kind == "destroy" and "push" in match[0].lower() and _OWN.search(sentence):
        return False
    return bool(_IMPERATIVE.search(sentence))


def _denied(sentence: str, at: int) -> bool:
    """Whether what stands there is forbidden by what stands before it."""
    before = sentence[:at]
    breaks = [match.end() for match in _BREAK.finditer(before)]
    return bool(_DENIED.search(before, breaks[-1] if breaks else 0))
