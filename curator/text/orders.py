"""Orders to an agent that a person should see as such before keeping them: what a text tells its reader to do, and where.

An order is a verb that speaks to the reader, and what it is to be done to; what forbids or describes the same is none. Verbs
and objects are looked for by themselves, sentence by sentence, so that wording and order of words matter little and the time is
linear. It is no proof of innocence: it draws the eye of a person, who decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from curator.text.lexicon import NOUNS, Word, classes

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


class _Expression:
    """A regular expression that is compiled when a text first has one of its hints: most texts have none."""

    def __init__(self, pattern: str, *hints: str, verbose: bool = False) -> None:
        self._pattern, self._hints, self._verbose = pattern, hints, verbose

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        """The expression, blind to case."""
        return re.compile(self._pattern, re.IGNORECASE | (re.VERBOSE if self._verbose else 0))

    def finditer(self, text: str, low: str) -> Iterable[re.Match[str]]:
        """Where it stands in a text, whose lower case is known."""
        return self.compiled.finditer(text) if any(hint in low for hint in self._hints) else ()


_HOST = (
    r"(?!(?:localhost|127\.|0\.0\.0\.0|\[::1\]|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)"
    r"|[\w-]{1,40}+(?=[/:\s]|$)|[\w.-]{1,80}?\.(?:local|internal|test|localhost|lan|corp|svc)\b)"
)
_FOREIGN = rf"(?:https?|ftp|wss?)://{_HOST}[^\s`'\"<>)]{{1,200}}+"
_DOMAINS = "com|net|org|io|dev|ru|cn|xyz|top|cc|me|info|example|site|app|cloud"
_ADDRESS = _Expression(
    rf"{_FOREIGN}|(?<![\w.])[\w.+-]{{1,40}}+@[\w-]{{1,40}}+\.[\w.-]{{2,40}}+"
    rf"|(?<![\w./@$-])(?!env\.)(?:[a-z0-9-]{{1,40}}+\.){{1,4}}(?:{_DOMAINS})\b"
    r"(?![\w(=]|\.\w|\s?=)",
    "://",
    "@",
    *(f".{domain}" for domain in _DOMAINS.split("|")),
)
_KEYFILE = _Expression(
    r"~/\.(?:ssh|aws|gnupg|netrc|npmrc|kube|docker|config)\b\S{0,40}|/etc/(?:passwd|shadow)\b|\$\{?\w{0,30}(?:KEY|TOKEN"
    r"|SECRET|PASSWORD)\w{0,10}\}?",
    "~/",
    "/etc/",
    "$",
)
_SCRIPT = _Expression(
    r"(?:https?|ftp)://(?:\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|" + _HOST + r"[^\s`'\"<>)?]{1,200}?"
    r"\.(?:sh|bash|py|ps1|bat|exe|bin|js|mjs|pl|rb|php|run|jar|appimage)(?![\w/-]|\.\w))",
    "://",
)
_RETURNED = _Expression(
    r"\b(?:whatever|anything|everything|what|code|commands?|scripts?|responses?|results?|outputs?)\b[^.;\n]{0,60}"
    r"\b(?:returns?|sends?|serves|answers|prints|says|from|at|of)\b",
    "://",
)
_IT = _Expression(
    r"\b(?:it|them|that|this|in(?:to)? (?:ba|z)?sh|es|ihn|le|la|lo|o|его|е[её]|их)\b|并|然后|して",
    "",
)
_CONSTANT = _Expression(
    r"\b(?:constant|always (?:true|pass\w{0,2}|succeeds?|returns? true)|(?:return|with|to|a) true|no-?op|nothing|dummy)\b"
    r"|\b(?:exit 0|assert true)\b",
    "true",
    "constant",
    "always",
    "noop",
    "no-op",
    "nothing",
    "dummy",
    "exit 0",
)
_SILENT = _Expression(
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
    |\b(?:nobody|no\sone|no-one|none)\s(?:needs?|has|have|should|must|ought)\s(?:\w{1,8}\s){0,2}?(?:know|hear|see|notice|be\stold|learn)
    |\b(?:leave\sout|omit|skip\sover)\sthat\b|\bbetween\s(?:us|you\sand\sme|ourselves)\b|\bunder\sthe\sradar\b|\bkeep\s(?:the|this|these|that|it)\s[^.;\n]{0,40}\b(?:quiet|secret|to\syourself)\b
    |(?<!not\s)(?<!n't\s)(?<!never\s)\b(?:say|claim|pretend|state|assert|write|answer)\s(?:that\s)?(?:\w{1,12}\s){1,3}?(?:pass|passed|succeed|succeeded|works?|worked|green)\b
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
    " tell",
    " inform",
    "notif",
    " alert",
    " warn",
    "mention",
    "report",
    "disclos",
    "reveal",
    "bother",
    " ask",
    "discuss",
    "bring up",
    "speak",
    " talk",
    "expla",
    " quiet",
    "silent",
    " mum ",
    " secret",
    "unnoticed",
    " say ",
    " says ",
    " claim",
    "pretend",
    " state ",
    " assert ",
    "hide ",
    "conceal",
    "disguis",
    " mask ",
    "cover up",
    "covert",
    "stealth",
    "noticing",
    "knowing",
    "nobody",
    "no one",
    "no-one",
    " let ",
    "need not",
    "needn",
    "not need",
    "must not",
    "should not",
    " know ",
    "leave ",
    "omit",
    "as passed",
    "as passing",
    " green",
    "between",
    "radar",
    "behind ",
    " sag",
    "erzähl",
    "verrat",
    " melde",
    "ohne ",
    "verheim",
    "verschw",
    " ne ",
    " cache",
    " sans ",
    " no le ",
    " no diga",
    " no menc",
    " no inf",
    " no avis",
    " no cuent",
    " sin ",
    "oculta",
    " não ",
    " sem ",
    "esconda",
    " non ",
    " senza ",
    "никому",
    " не ",
    "скро",
    "скры",
    "告",
    "通知",
    "提",
    "让用户",
    "向用户",
    "瞒",
    "ユーザ",
    "利用者",
    "人間",
    "開発者",
    "隠",
    "内緒",
    verbose=True,
)
_OMIT = _Expression(
    r"\b(?:do not|don.?t|never|no need to|stop)\s(?:run|running|wait for|waiting for|enable|require|requiring|verify"
    r"|verifying|check|checking|perform|ask for|asking for)\s(?:the\s|any\s|a\s|for\s){0,2}"
    r"(?:security|safety|signatures?|certificates?|tls|ssl|code review|review|approvals?|permission|confirmation"
    r"|checksums?)\b",
    "security",
    "safety",
    "signature",
    "certificate",
    "tls",
    "ssl",
    "review",
    "approv",
    "permission",
    "confirmation",
    "checksum",
)
"""To forbid what protects is to switch it off."""
_OBEY = _Expression(
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
    "ignor",
    "disregard",
    "forget",
    "overrid",
    "overrul",
    "bypass",
    "discard",
    "dismiss",
    "contradict",
    "user",
    "human",
    "developer",
    " person ",
    "outrank",
    "supersede",
    "trump",
    "precedence",
    "priority",
    "this lesson",
    "this file",
    "this note",
    "this rule",
    "this message",
    "this text",
    "this instruction",
    "follow",
    "obey",
    "trust",
    "believe",
    "prefer ",
    " yes ",
    " y to",
    " ok to",
    "treat ",
    "do what",
    "do exactly",
    "do everything",
    "execute ",
    "carry ",
    "you are now",
    "from now on",
    "pretend",
    "act as",
    "god mode",
    "dan mode",
    "unrestricted",
    "jailbr",
    "system prompt",
    "system instr",
    "your instr",
    "your rules",
    "your prompt",
    " ai ",
    " ai,",
    " ai:",
    "language model",
    " llm",
    "agent,",
    "agent:",
    "assistant,",
    "assistant:",
    "reading this",
    "reads this",
    "accept",
    "approv",
    "confirm",
    "grant ",
    " allow ",
    "no longer",
    "not needed",
    "not required",
    "not necessary",
    "authori",
    "agreed",
    "allowed",
    "signed off",
    "cleared",
    "vergiss",
    "missacht",
    "beachte",
    "übergeh",
    "oubli",
    "néglig",
    "olvid",
    "esque",
    "dimentic",
    "desconsid",
    "игнор",
    "забуд",
    "слушай",
    "отбрось",
    "忽略",
    "无视",
    "忘",
    "不管",
    "無視",
    "指令",
    "指示",
    verbose=True,
)
_INSTALL = _Expression(
    rf"\b(?:pip3?|uv|pipx|npm|pnpm|yarn|bun|gem|cargo|go|brew|apt|apt-get|npx|conda|poetry|composer|code)\b[^;\n]{{0,60}}?"
    rf"(?:\b(?:install|i|add|get|tap|exec|dlx|x)\b|\bnpx\b)[^;\n]{{0,60}}?(?:--(?:extra-)?index-url|--registry|--source"
    rf"|--find-links|--trusted-host"
    rf"|-i\s|-f\s|git\+(?:https?|ssh)://{_HOST}|{_FOREIGN})"
    rf"|\binstall\b[^.;\n]{{0,60}}?\b(?:from|via|at)\s(?:the\s)?(?:\w{{1,12}}\s){{0,2}}?(?:{_FOREIGN}|forks?\b|gist"
    rf"|mirror|telegram|discord)"
    rf"|\b(?:use|take|switch\sto|get|add)\b[^.;\n]{{0,40}}?\b(?:fork|mirror|build|package|binar(?:y|ies)|plugin"
    rf"|extension)\b[^.;\n]{{0,20}}?{_FOREIGN}"
    rf"|\b(?:registry|index(?:-url)?|source|repository|mirror)\b[^.;\n]{{0,20}}?(?:(?:to|=|:|at)\s?|\s){_FOREIGN}",
    "://",
    "--extra-index",
    "--index-url",
    "--registry",
    "--source",
    "--find-links",
    "--trusted-host",
    "git+",
    " -i ",
    " -f ",
    "fork",
    "gist",
    "mirror",
    "telegram",
    "discord",
)
_COMMANDS = (
    (
        "run",
        _Expression(
            r"\b(?:curl|wget|fetch|iwr|irm|invoke-webrequest|invoke-restmethod|base64|xxd|openssl)\b[^|\n;]{0,200}\|\s{0,3}"
            r"(?:sudo\s{1,3}(?:-\w\s){0,2})?(?:/\S{0,20}/)?(?:(?:ba|z|da|fi|k)?sh|python\d?|node|perl|ruby|iex|php|deno"
            r"|source|xargs)\b"
            r"|(?:\b(?:ba|z|da)?sh|\beval|\bsource|\bpython\d?|\bnode|\.)\s(?:-\w{1,4}\s){0,2}[\"']?[<$]\(\s?(?:curl|wget"
            r"|iwr|base64)\b"
            r"|\b(?:iex|invoke-expression)\b[^;\n]{0,40}(?:iwr|irm|http|download)"
            rf"|\b(?:curl|wget)\b[^\n;]{{0,200}}(?:&&|;|\bthen\b)[^\n]{{0,60}}(?:chmod\s\+x|(?:ba|z)?sh\s|\./|python\d?\s)"
            rf"|\b(?:npx|deno\s(?:run|x)|bunx|go\srun|python\d?)\s(?:-\S{{1,20}}\s){{0,3}}(?:github:|{_FOREIGN})"
            r"|\bpip(?:e|ing)\b[^;\n]{0,120}\b(?:in|into|to|through)\s`?(?:ba|z|da)?sh\b",
            "curl",
            "wget",
            "fetch",
            "iwr",
            "irm",
            "invoke",
            "base64",
            "xxd",
            "openssl",
            "iex",
            "npx",
            "deno",
            "bunx",
            "go run",
            "python",
            "pip",
        ),
    ),
    (
        "send",
        _Expression(
            r"(?:\b(?:env|printenv|history|cat\s\S{0,40}(?:\.env|id_rsa|id_ed25519|credentials|secret\w?|passwd|shadow"
            r"|\.netrc))\b"
            r"[^|\n]{0,40}\|[^\n]{0,60}\b(?:curl|nc|ncat|netcat|wget|mail|telnet|http|base64))"
            r"|\b(?:curl|wget|http)\b[^\n]{0,120}(?:@\S{0,40}(?:\.env|id_rsa|id_ed25519|credentials|secrets?|passwd"
            r"|\.netrc)|\$\(\s?"
            r"(?:env|printenv|cat|history)\b)"
            r"|\b(?:scp|rsync)\b[^\n]{0,60}(?:\.env|id_rsa|\.ssh|\.aws|credentials)\S{0,20}\s\S{1,40}@",
            "env",
            "history",
            "cat ",
            "curl",
            "wget",
            "http",
            "scp",
            "rsync",
        ),
    ),
    ("install", _INSTALL),
    (
        "disable",
        _Expression(
            r"--no-verify|\bgit commit\b[^`.\n]{0,30}\s-\w{0,3}n\w{0,2}\b"
            r"|\b(?:with|keep|leave|have)\s(?:[\w-]{1,20}\s){0,3}?(?:tls|ssl|certificates?|signing|signatures?|sandbox"
            r"|hooks|verification"
            r"|validation|authentication|security|firewall|reviews?)\s(?:\w{1,20}\s){0,2}?(?:off|disabled"
            r"|deactivated)\b|--no-gpg-sign|commit\.gpgsign[ =]{1,2}false|core\.hookspath[ =]{1,2}\S{0,20}(?:/dev/null|\s)"
            r"|\bHUSKY=0|(?-i:\bSKIP)=\w"
            r"|sslverify[ =]{1,2}(?:false|0)|GIT_SSL_NO_VERIFY|NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY=0"
            r"|\bverify ?= ?false"
            r"|rejectUnauthorized\W{1,3}false|\bcurl\b[^\n]{0,60}\s(?:-k\b|--insecure)|--no-check-certificate"
            r"|--trusted-host"
            r"|strict-ssl[ =]{1,2}false|StrictHostKeyChecking[ =]{1,2}no|InsecureSkipVerify\W{1,3}true|\bsetenforce 0"
            r"|\bufw disable"
            r"|--dangerously-[\w-]{1,40}|--yolo\b|danger-full-access|bypassPermissions|approval[_-]policy\W{1,6}never"
            r"|\b(?:strict-)?(?:ssl|tls|verif\w{1,8}|verify-?\w{0,8}|check-?\w{0,8}|csrf\w{0,8}|secure\w{0,8}"
            r"|sandbox\w{0,8}|gpgsign)`?"
            r"\s(?:to|=|:)\s`?(?:false|off|no|none|0|never|disabled)\b|PermitRootLogin yes|\bhttp\b instead of https"
            r"|\b(?:tests?|checks?|lint\w{0,3}|audit|ci)\b[^\n]{0,60}(?:\|\| ?true|\bexit 0)|(?:\|\| ?true"
            r"|\bexit 0)[^\n]{0,60}\b(?:tests?|checks?|ci)\b"
            r"|csrutil disable|--allow-unauthenticated|--insecure-skip-tls-verify|--no-audit-log"
            r"|--admin\b(?=[^\n]{0,20}merge)",
            "--no-",
            "--dangerous",
            "--yolo",
            "--insecure",
            "--trusted",
            "--allow-un",
            "--admin",
            "git commit",
            "gpgsign",
            "hookspath",
            "husky=",
            "skip=",
            "ssl",
            "verif",
            "tls",
            "unauthorized",
            "insecure",
            "setenforce",
            "ufw ",
            "full-access",
            "bypassperm",
            "policy",
            "csrf",
            "secure",
            "sandbox",
            "exit 0",
            "|true",
            "|| true",
            "permitroot",
            "of https",
            "csrutil",
            "certificate",
            "signing",
            "signature",
            "hooks",
            "validation",
            "authentication",
            "firewall",
            "review",
            "curl",
            "check",
        ),
    ),
    (
        "destroy",
        _Expression(
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
            "rm ",
            "push",
            "force",
            "dd ",
            "mkfs",
            "/dev/",
            "format ",
            "find /",
            "find ~",
            "terraform",
            "kubectl",
            "git push",
            "git filter",
            "reflog",
            "drop database",
            "drop schema",
            "preserve",
        ),
    ),
    (
        "rights",
        _Expression(
            r"\bchmod\s(?:-R\s)?(?:0?777|0?666|a\+rwx|o\+w|ugo\+rwx|u\+s|\+s)\b|\bchmod\b[^\n]{0,20}\s0?777\b"
            r"|\bchown -R\s\S{1,20}\s/(?:\s|$)"
            r"|authorized_keys|NOPASSWD|--acl public-read|permissions:\s?write-all|0\.0\.0\.0/0|\bnc\s-\w{0,3}e\b"
            r"|/dev/tcp/",
            "chmod",
            "chown",
            "authorized_keys",
            "nopasswd",
            "acl",
            "write-all",
            "0.0.0.0/0",
            "nc ",
            "/dev/tcp",
        ),
    ),
)
_SWITCHES = (
    (
        "disable",
        _Expression(
            r"\bwithout\s(?:\w{1,12}\s){0,2}?(?:secure|httponly|auth(?:entication)?|verification|verifying"
            r"|signatures?|signing"
            r"|encryption|tls|review(?:s|ers?)?|approvals?)\b|\ballow-origin\b[^\n]{0,12}\*(?=[^\n]{0,60}credentials)"
            r"|-{1,2}auto-?approve\b|\bauto-?_?approve\b|强制推送|強制プッシュ"
            r"|\b[\w.-]{0,30}(?:verif|ssl|tls|secur|auth|protect|encrypt|audit|sandbox|backup|sign|check_?host|csrf"
            r"|sumdb|strict"
            r"|valid|permission)[\w.-]{0,30}[\"'`]?\s?(?:=|:=|:|=>)\s?[\"'`]?(?:false|off|no|none|disabled?|never|0)\b"
            r"|\b(?:protected-mode|requirepass|deletion[_-]protection|skip_final_snapshot)\s?[=: ]\s?(?:no|false|true"
            r"|off|\"\")"
            r"|\b(?:GONOSUMDB|GONOSUMCHECK|GOINSECURE|GOFLAGS=-insecure)\b|\bDisableRealtimeMonitoring\b"
            r"|\bset-mppreference\b"
            r"|\bdangerouslySetInnerHTML\b(?=[^.\n]{0,40}\b(?:visitors?|users?|as (?:they|it|is)))"
            r"|--(?:no-|skip-|disable-)(?:verify|check-certificate|gpg-check|signature|sandbox|security|auth|audit|ssl"
            r"|tls|tests?-on)\w{0,12}"
            r"|--(?:allow-untrusted|force-yes|nogpgcheck|ignore-certificate-errors|disable-web-security"
            r"|insecure-registry)\b"
            r"|\b(?:test|check|lint|audit)\s(?:command|script|step)\b[^\n]{0,60}\b(?:exit 0|true)\b"
            r"|\bfilter_?mode\W{1,3}danger|\bsudo spctl|\bverify_?(?:none|peer)\W{1,3}(?:0|false|no)\b|\bCERT_NONE\b",
            "without ",
            "allow-origin",
            "approve",
            "强制",
            "強制",
            "verif",
            "ssl",
            "tls",
            "secur",
            "auth",
            "protect",
            "encrypt",
            "audit",
            "sandbox",
            "backup",
            "sign",
            "checkhost",
            "csrf",
            "sumdb",
            "strict",
            "valid",
            "permission",
            "requirepass",
            "goflags",
            "goinsecure",
            "gonosum",
            "realtimemon",
            "mppreference",
            "dangerously",
            "--no-",
            "--skip-",
            "--disable-",
            "--allow-",
            "--force-yes",
            "--nogpg",
            "--ignore-cert",
            "--insecure",
            "filtermode",
            "spctl",
            "exit 0",
            "command",
            "script",
            " step",
            "check_host",
            "final_snapshot",
            "filter_mode",
            "cert_none",
        ),
    ),
    (
        "destroy",
        _Expression(
            r"\bdrop (?:database|schema)\b|\bdelete from \w{1,30}\s?(?:;|$|\bon\b|\bin\b)|\btruncate (?:table )?\w{1,30}\b"
            r"(?=[^.\n]{0,60}\b(?:prod\w{0,8}|live|main|cascade))|\bgit reset --hard\b(?=[^\n]{0,30}clean)"
            r"|\bgit clean -\w{1,4}\b(?=[^\n]{0,20}\breset)|\bgit tag (?:-f|--force)|\bflush(?:all|db)\b"
            r"|\bkubectl delete (?:ns|namespace"
            r"|pvc|pv|-f)\b"
            r"|\bgit (?:filter-repo|filter-branch)\b|\bpush\b[^\n;`]{0,24}--(?:mirror|force(?!-with))"
            r"|\bgit (?:push )?(?:-f|--force)\b(?!-with)|\bforce (?:it|them|that) (?:upstream|to|onto|over)\b"
            r"|\bpushed? over (?:the )?(?:old|main|master|shared|remote)\b"
            r"|\b(?:docker|podman) (?:system|volume) prune\b[^\n]{0,20}-\w{0,2}[af]|\baws s3 (?:rb"
            r"|rm)\b[^\n]{0,60}--(?:force|recursive)"
            r"|\bremove-item\b[^\n]{0,40}-recurse[^\n]{0,20}(?:~|\$home|c:\\)|\b(?:del|rd) /s\b",
            "drop",
            "delete from",
            "truncate",
            "git clean",
            "git reset",
            "git tag",
            "flush",
            "kubectl",
            "filter-",
            "push",
            "force",
            "prune",
            "aws s3",
            "remove-item",
            "/s",
        ),
    ),
    (
        "rights",
        _Expression(
            r"--privileged\b|\bpull_request_target\b(?=[^\n]{0,120}\b(?:secrets?|fork|head|checkout|check out))"
            r"|--cap-add[= ]\w{0,4}all|\bsudoers\b|\"?action\"?\s?[:=]\s?\"?\*|\biam:\*|\bcluster-admin\b|docker\.sock\b"
            r"|\bbind\w{0,3} (?:to )?0\.0\.0\.0\b(?=[^\n]{0,40}(?:internet|public|prod))|\badmin ?[/:] ?admin\b",
            "privileged",
            "pull_request_target",
            "cap-add",
            "sudoers",
            "action",
            "iam",
            "cluster-admin",
            "docker.sock",
            "0.0.0.0",
            "admin",
        ),
    ),
    (
        "send",
        _Expression(
            r"\|\s{0,3}(?:nc|ncat|netcat|telnet)\b|\bpiped? to (?:nc|ncat|netcat)\b|\b(?:env|printenv)\s?\|\s?(?:curl|nc)",
            "nc",
            "ncat",
            "netcat",
            "telnet",
            "curl",
        ),
    ),
    (
        "obey",
        _Expression(
            r"\b(?:without|no)\s(?:\w{1,12}\s){0,2}?(?:asking|confirmations?|confirming|inspection|inspecting|review"
            r"|approval"
            r"|checking|questions?|prompting)\b|\bohne\s(?:\w{1,12}\s){0,1}?(?:rückfragen?|bestätigung|prüfung"
            r"|nachfragen?|freigabe)"
            r"|\brückfragen?\s(?:sind|ist)\s(?:unnötig|nicht)|\bsans\s(?:\w{1,12}\s){0,1}?(?:confirmation|demander"
            r"|vérifi\w{1,6})"
            r"|\bsin\s(?:\w{1,12}\s){0,1}?(?:preguntar|confirmar|confirmación|pedir)"
            r"|\bsem\s(?:\w{1,12}\s){0,1}?(?:perguntar"
            r"|confirm\w{1,6}|pedir)|\bsenza\s(?:\w{1,12}\s){0,1}?(?:chiedere|conferma\w{0,2})"
            r"|\bбез\s(?:\w{1,16}\s){0,1}?(?:подтвержд"
            r"\w{1,6}|спроса|вопросов|запроса)|(?:无需|不经|不用|未经)(?:任何)?(?:确认|询问|批准|审批)|確認(?:を)?(?:一切)?(?:なし|行わず|せず)"
            r"|確認なしで",
            "without",
            "no ",
            "ohne",
            "rückfrage",
            "sans",
            "sin ",
            "sem ",
            "senza",
            "без",
            "无需",
            "不",
            "未经",
            "確認",
        ),
    ),
)
"""Settings and commands that may be told to do harm."""
_DEEDS = _Expression(
    r"\b(?:deploy\w{0,5}|merge\w?|push\w{0,3}|delete\w?|drop|release|publish|approve\w?|accept|install|run|execute"
    r"|start|load|apply"
    r"|transfer|pay|purchase|confirm\w?|answer|bestätig\w{1,4}|überschreib\w{0,4}|ausführ\w{0,4}|löschen?|déploy\w{1,4}"
    r"|fusionn\w{1,4}"
    r"|despli\w{1,6}|elimin\w{1,3}|fusiona\w?|aprueba|aprov\w{1,3}|esegu\w{1,4}|distribu\w{1,6}|выполн\w{1,6}"
    r"|удал\w{1,4}|слива\w{1,3})\b"
    r"|部署|合并|执行|デプロイ|実行|承認|マージ"
)
_RANK = _Expression(
    r"\b(?:higher|highest|more)\s(?:\w{1,12}\s){0,2}?(?:rank|priority|authority|weight|binding)\b[^.;\n]{0,30}\b(?:than"
    r"|over|above)\b"
    r"[^.;\n]{0,20}\b(?:user|system|operator|person|developer|human)"
    r"|\b(?:followed|obeyed|carried out|performed|executed|trusted|honou?red|binding)\b[^.;\n]{0,20}\b(?:over|above"
    r"|instead of)\b"
    r"[^.;\n]{0,40}\b(?:users?|operator|person|developer|human|configured|asked|told|rules|instructions)\b"
    r"|\b(?:whatever|what|anything|everything|orders?|instructions?|commands?|steps?|text"
    r"|comments?)\b[^.;\n]{0,60}\b(?:readmes?|issues?"
    r"|comments?|web ?pages?|pages?|search results?|websites?|tickets?|e-?mails?|tool (?:output|results?)|dependenc(?:y"
    r"|ies)"
    r"|downloaded files?)\b[^.;\n]{0,80}\b(?:followed|obeyed|performed|executed|carried out|done|trusted|binding|obey"
    r"|follow|execute"
    r"|carry (?:them|it) out|perform)\b"
    r"|\b(?:follow|obey|execute|perform|carry out|trust)\b[^.;\n]{0,30}\b(?:instructions?|orders?|commands?|whatever"
    r"|what|steps)\b"
    r"[^.;\n]{0,40}\b(?:readmes?|issues?|comments?|web ?pages?|pages?|search results?|websites?|tickets?|e-?mails?"
    r"|tool (?:output"
    r"|results?)|fetched|downloaded)\b"
    r"|\bcopy (?:this|these) (?:lesson|rule|note|instruction|file)s?\b|\bput (?:this|these) (?:lesson|rule|note"
    r"|instruction)s?\b[^.;\n]"
    r"{0,20}\b(?:global|memory|every|all)\b"
    r"|\b(?:dismiss|ignore|click away|acknowledge)\s(?:\w{1,12}\s){0,3}?(?:danger|security|spending|safety"
    r"|permission)\s(?:\w{1,12}\s)?"
    r"(?:warnings?|prompts?|alerts?)\b"
    r"|\bapprove\b[^.;\n]{0,30}\b(?:yourself|your own|own (?:pr|pull|change|merge))"
    r"|\b(?:delete|remove|disable|edit)\s(?:the|that|any|this)\shooks?\b[^.;\n]{0,20}\b(?:from|in)\s(?:the"
    r"|your)\ssettings\b"
    r"|\bself-?\s?approv\w{0,4}\b|\b(?:whoever|anyone|anybody|whatever)\b[^.;\n]{0,80}\b(?:obeyed|followed)\b"
    r"|\btells? (?:you|agents?|assistants?) what to do\b|\b(?:is|are) (?:to be )?obeyed\b"
    r"|\bif asked,?\s(?:answer|say|claim|reply|deny|tell)\b",
    "rank",
    "priority",
    "authority",
    "weight",
    "binding",
    "follow",
    "obey",
    "perform",
    "execut",
    "carr",
    "trust",
    "honor",
    "honour",
    "copy ",
    "put ",
    "dismiss",
    "ignore",
    "click away",
    "acknowledge",
    "approv",
    "hook",
    "tell",
    "obeyed",
    "asked",
    "done",
    "applied",
)
"""To hold the words of others, or the agent's own, above the person's."""
_NEGATIONS = (
    r"never|not|no|avoid|nobody|cannot|\w{1,8}n['’]t|dont|refuse to|stop|forbid|reject|instead of|rather than|nor|neither"
    r"|nie|niemals|nicht|kein\w{0,2}|vermeide|statt|jamais|ne|n['’]\w{1,12}|pas|évite[rz]?|no|nunca|jamás|evita|não"
    r"|jamais|non|mai"
    r"|не|никогда|нельзя|запрещ\w{1,4}"
)
_DENIED = _Expression(
    rf"\b(?:{_NEGATIONS})\b(?!\s(?:worry|hesitate|wait|forget|bother|be afraid|only|longer|later|matter))"
    r"|不要|禁止|勿|别|不得|请勿|不能|切勿|不可",
)
_BREAK = _Expression(
    r"\bbut\b|\binstead[,:]|[:—–]\s|;\s|,\s(?:just|simply|then|and|so|aber|sondern|mais|sino|ma|mas|но|а)\s|[，；]",
)
_BANNED = _Expression(
    r"\b(?:forbidden|banned|not allowed|prohibited|never allowed|is dangerous|is wrong|disallowed|verboten"
    r"|interdit\w{0,2}|prohibid\w{1,2}"
    r"|proibid\w{1,2}|vietat\w|запрещ\w{1,5})\b|禁止|ないで|しない|せず|ません|てはいけ|べからず",
)
_SUBJECT = _Expression(
    r"(?:\b(?:that|which|who|we|they|i|he|she|it|did|does|don.?t|not|is|are|was|were|been|be|has|have|had|could|might"
    r"|would|will|cannot"
    r"|flag to|option to|way to|how to|used to|switch to|setting to|command to|attempts? to|able to|tries to|want to"
    r"|wants to|a|an|the"
    r"|this|any|no|each|every|such|soft|hard|when|if|of|for|in|on|by|with|from)(?:\s(?:never|also|usually|often"
    r"|only|still|now|then|already|sometimes))?"
    r"|^(?!(?:before|after|when|if|whenever|while|prior|on|for|in|at|once|during|as|first|always|unless|until)\b)"
    r"(?:the|these|those|our|all|most|some|its|your|their|both)\s(?:[\w./-]{1,30}\s){0,3}[\w./-]{1,30}s)\s?[`\"'“(]?$|\w/$",
)
_LIMITED = _Expression(
    r"[`\"']?\s(?:(?:never|nowhere)\b|(?:(?:is|are)\s)?(?:only|solely|just)\s"
    r"(?:for|when|while|in|on|if|to|with|after|as|allowed)\b)",
)
_HARMLESS = _Expression(
    r"\b(?:authorization|bearer|headers?|x-api-key|query string|cookie jar|masked|redacted|number of tokens"
    r"|design tokens?|tokens? (?:count|usage"
    r"|limit|budget))\b|placeholder|\bexample values?\b",
)
_LOCAL = _Expression(
    r"\b(?:local(?:ly|host)?|(?:in|for|during|inside) (?:the )?(?:unit |integration |e2e )?tests?|test (?:settings"
    r"|config\w*|environment|client)"
    r"|dev(?:elopment)? (?:server|mode|container|environment|only)|storybook|fixtures?)\b",
)
_WEAK = _Expression(r"\b(?:auth\w*|csrf|ssl|rate.limit\w*|verification|security|hooks?|reviews?|safety|checksums?)\b")
_OWN = _Expression(r"\b(?:own|feature|topic|personal|fork|my|pr) (?:\w{1,12} )?(?:branch(?:es)?|fork)?\b|--force-with-lease")
NEAR = 20
"""Characters within which the object of some verbs follows, or these are no verbs."""
_SENTENCE = re.compile(r"[^.!?;\n。！？；]*+(?:[.!?;](?!\s|$)[^.!?;\n。！？；]*+)*+[.!?;\n。！？；]?")
_IMPERATIVE = _Expression(
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
)
_DUTY = _Expression(
    r"\b(?:must|should|shall|(?:needs?|has|have|ought|is|are)\sto|required|mandatory|expected|recommended|necessary"
    r"|obligatory"
    r"|make sure|ensure|remember|be sure|don.?t forget|always|only works?|call for|calls for|wants?|the way to"
    r"|it is best|best to"
    r"|no need|we (?:always|usually)|cured|solved|fixed|belongs?|by (?:add|set|pass|us|runn|append"
    r"|prefix)\w{0,2}ing|直接|runs? with|the right|correct|proper|preferred|every|each|all"
    r"|sets up|helps?|fixes|solves|cures|avoids|speeds|saves|soll\w{0,2}|wird|werden|ist|sind|mit|stelle|muss|müssen"
    r"|exécute\w?|ejecuta\w?|execute|esegui|doit|doivent|debe\w?|tiene\w? que|deve\w?|devono|va|vanno|должн\w|нужно"
    r"|надо|следует)\b|必须|必須|必ず|应该|需要|ください|べき"
)
"""What makes of a statement a demand, or a way out."""
_REPORTED = _Expression(
    r"\b(?:did not|didn.?t|destroys|broke|was|were)\s(?:\w{1,12}\s){0,1}?"
    r"(?:clear|work|help|committed|bypassed|the|merged|pushed)\b"
)
"""What tells how it went before demands nothing."""
_BE = _Expression(
    r"\b(?:must|should|shall|ought\sto|(?:needs?|has|have|is|are)\sto|can|may|will|gets?|being|let)\b[^;:\n]{0,80}$"
    r"|\b(?:be|get|gets)\b[^;:\n]{0,60}$|\b(?:needs?|wants?|keep|have|leave|with|requires?)\s(?:[\w./-]{1,30}\s){0,6}$"
)
_OFTEN = _Expression(
    r"\b(?:always|each|every|before|after|when(?:ever)?|first|prior to|at the (?:end|start)|daily|nightly|hourly|weekly"
    r"|once)\b"
)
_BY = _Expression(
    r"\b(?:by|start|begin|keep|try|consider|recommends?|suggests?|prefers?|requires?|needs?|means|worth|involves"
    r"|includes?|through"
    r"|expects?|mandatory:?|required:?|(?:practice|policy|rule|habit|way|convention|approach|trick|fix|answer|solution"
    r"|norm|standard)\s(?:\w{1,12}\s){0,4}?is"
    r"|(?:before|after|when|while|prior to)\s[^,\n]{1,60},)\s(?:\w{1,10}ly\s)?[`\"']?$"
)
_WAY = _Expression(
    r"\b(?:the way|fix(?:es)?|solves?|works|helps?|speeds?|saves?|cures?|avoids|keeps|makes|gets|is (?:required"
    r"|expected|mandatory"
    r"|necessary|recommended|fine|ok|safe|allowed|the|how|our|part|best|what|standard|normal)|are expected|before|after"
    r"|first)\b"
)
_PERSON = _Expression(
    r"\b(?:add|create|let|make sure|needs?|should|must|ensure|has to|schedule|write|register|install|have|put|want)\b"
    r"(?=.{0,120}\b(?:that|which|who|and|it|then|to)\s$)|\balways\s$"
)
_PLURAL = _Expression(
    r"^(?!(?:before|after|when|if|whenever|while|prior|on|for|in|at|once|during|as|first|unless|until|with"
    r"|to)\b)[^,:;]{0,80}\w[^s\W]s\s$"
)
_CLAUSE = _Expression(
    r"(?:when|if|once|after|before|whenever|since|because|as|where|while|unless|until|should|for|in|on|wenn|falls"
    r"|sobald|da|weil|si|se"
    r"|quando|cuando|quand|lorsque|como|если|когда|пока)\b"
)
"""What begins with a clause denies by it nothing that comes after its comma."""
_LEAD = _Expression(
    r"(?:^|[,:;—–`(\"'→>-]\s{0,2}|\b(?:and|then|always|please|first|must|should|shall|to|or|you|also|just|simply|can"
    r"|may|now|instead"
    r"|und|we|team|agents?|assistants?|never fails?,?|either|but|so|\w{2,12}ly|don.?t forget to|do|will|ought to)\s"
    r"|\b(?:let|have|make)\s[\w./-]{1,30}\s)"
    r"[`\"'$ ]{0,3}$"
)


@dataclass(frozen=True, slots=True)
class _Rule:
    """An order of a kind: a class of verbs, and of which classes, one of each, something must stand in its sentence."""

    kind: str
    verb: str
    objects: tuple[str, ...]


_RULES = (
    _Rule("run", "fetch", ("address", "code run it")),
    _Rule("run", "run", ("script",)),
    _Rule("run", "run", ("address", "returned")),
    _Rule("run", "fetch", ("code address", "run")),
    _Rule("install", "fetch", ("package", "install", "address odd")),
    _Rule("install", "install", ("package", "address")),
    _Rule("install", "fetch", ("package", "address")),
    _Rule("install", "grant", ("agent", "address")),
    _Rule("send", "send", ("secret keyfile data", "out address")),
    _Rule("send", "swap", ("pay",)),
    _Rule("send", "flow", ("secret data", "address")),
    _Rule("send", "commit", ("stash",)),
    _Rule("send", "show", ("bare",)),
    _Rule("install", "point", ("manager", "address")),
    _Rule("disable", "off", ("offword", "guard")),
    _Rule("send", "grant", ("hook", "address")),
    _Rule("disable", "stub", ("guard gate red", "constant")),
    _Rule("disable", "mark", ("red",)),
    _Rule("disable", "disable", ("guard",)),
    _Rule("disable", "disable", ("gate",)),
    _Rule("disable", "drop", ("gate",)),
    _Rule("disable", "protect", ("weak", "secret serious")),
    _Rule("disable", "protect", ("broken",)),
    _Rule("destroy", "wipe", ("precious",)),
    _Rule("destroy", "wipe", ("prod", "store")),
    _Rule("rights", "grant", ("rights",)),
    _Rule("rights", "run", ("asroot",)),
    _Rule("rights", "grant", ("persist", "address shell")),
    _Rule("obey", "disable", ("prompt",)),
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
    low = _padded(text)
    for match in _SILENT.finditer(text, low):
        yield Flag("hide", *match.span())
    for match in _OMIT.finditer(text, low):
        yield Flag("disable", *match.span())
    for start, end in _sentences(text):
        sentence = text[start:end]
        small = _padded(sentence)
        for expression in (_OBEY, _RANK):
            for match in expression.finditer(sentence, small):
                if not _denied(sentence, match.start()):
                    yield Flag("obey", start + match.start(), start + match.end())
        for kind, command in (*_COMMANDS, *_SWITCHES):
            for match in command.finditer(sentence, small):
                if _commanded(sentence, match, kind):
                    yield Flag(kind, start + match.start(), start + match.end())
        words = classes(sentence)
        for rule in _RULES:
            if rule.verb in words and (span := _order(rule, sentence, small, words)):
                yield Flag(rule.kind, start + span[0], start + span[1])


def _padded(text: str) -> str:
    """Lower case with a blank at each end: a hint may begin or end with one."""
    return f" {text.lower()} ".replace("\n", " ")


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    """Where sentences begin and end."""
    for match in _SENTENCE.finditer(text):
        if match[0].strip():
            start = match.start() + len(match[0]) - len(match[0].lstrip())
            yield start, match.end()


_NEXT = frozenset(("commit", "show"))
"""Classes of verbs whose object follows at once, or they are no verbs."""
_SIGNS = {"address": _ADDRESS, "keyfile": _KEYFILE, "script": _SCRIPT, "returned": _RETURNED, "it": _IT, "constant": _CONSTANT}
"""Classes of what no table can list."""


def _order(rule: _Rule, sentence: str, low: str, words: dict[str, list[Word]]) -> tuple[int, int] | None:
    """Where a rule's order stands in a sentence: from its first word to its last."""
    spans = []
    for wanted in rule.objects:
        if not (span := _object(wanted, sentence, low, words, taken=words[rule.verb])):
            return None
        spans.append(span)
    if _BANNED.compiled.search(sentence):
        return None
    if rule.kind == "send" and _HARMLESS.compiled.search(sentence):
        return None
    if (
        rule.kind == "disable"
        and _LOCAL.compiled.search(sentence)
        and all(_WEAK.compiled.fullmatch(sentence, *span) for span in spans)
    ):
        return None
    for verb in words[rule.verb]:
        if any(start <= verb.start < end for start, end in spans):
            continue
        if rule.verb in _NEXT and not 0 <= spans[0][0] - verb.end <= NEAR:
            continue
        if not _denied(sentence, verb.start) and (rule.verb == "flow" or _addressed(sentence, verb)):
            return min(verb.start, *(at for at, _ in spans)), max(verb.end, *(at for _, at in spans))
    return None


def _object(wanted: str, sentence: str, low: str, words: dict[str, list[Word]], taken: list[Word]) -> tuple[int, int] | None:
    """Where something of these classes stands that is neither a verb nor excepted just before ("not", "never")."""
    for name in wanted.split():
        spans = (
            [match.span() for match in _SIGNS[name].finditer(sentence, low)]
            if name in _SIGNS
            else [(word.start, word.end) for word in words.get(name, ())]
        )
        for span in spans:
            if len(taken) == 1 and (taken[0].start, taken[0].end) == span:
                continue
            if not re.search(
                r"\b(?:not|never|nicht|pas|no|não|non|не)\s(?:\w{1,8}\s){0,2}$", sentence[max(0, span[0] - 30) : span[0]]
            ):
                return span
    return None


def _addressed(sentence: str, verb: Word) -> bool:
    """Whether a verb is told to the reader: bidden, demanded, or shown as the way to go."""
    before = sentence[: verb.start]
    if verb.form == "s":
        return bool(_PERSON.compiled.search(before))
    if verb.form == "ed":
        return bool(_BE.compiled.search(before) or (_OFTEN.compiled.search(sentence) and re.search(r"\b(?:is|are)\s$", before)))
    if verb.form == "ing":
        return bool(_BY.compiled.search(before) or (not before.strip("`\"' ") and _WAY.compiled.search(sentence)))
    if before.endswith(("be ", "get ", "gets ")):  # "is to be set"
        return True
    if sentence[verb.start : verb.end].lower().split()[0] in NOUNS and not _LEAD.compiled.search(before):
        return False
    if verb.form == "base" and _PLURAL.compiled.search(before) and not _LEAD.compiled.search(before):
        return False
    return not _SUBJECT.compiled.search(sentence, 0, verb.start)


def _commanded(sentence: str, match: re.Match[str], kind: str) -> bool:
    """Whether a command is to be given: it is neither forbidden, nor only spoken of, nor limited to what is one's own."""
    if (kind != "obey" and _denied(sentence, match.start())) or _BANNED.compiled.search(sentence):
        return False
    if _LIMITED.compiled.match(sentence, match.end()):
        return False
    if kind == "destroy" and "push" in match[0].lower() and _OWN.compiled.search(sentence):
        return False
    if kind == "obey":
        return bool(_DEEDS.compiled.search(sentence)) and _demanded(sentence)
    return _demanded(sentence)


def _demanded(sentence: str) -> bool:
    if _REPORTED.compiled.search(sentence):
        return False
    return bool(_IMPERATIVE.compiled.search(sentence) or _DUTY.compiled.search(sentence))


def _denied(sentence: str, at: int) -> bool:
    """Whether what stands there is forbidden by what stands before it."""
    before = sentence[:at]
    if _CLAUSE.compiled.match(sentence) and (comma := before.rfind(", ")) > 0:
        before = before[comma:]
    breaks = [match.end() for match in _BREAK.compiled.finditer(before)]
    return bool(_DENIED.compiled.search(before, breaks[-1] if breaks else 0))
