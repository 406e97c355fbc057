"""Tables of verbs and objects by what they mean to an agent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

_TABLES = {
    "send": """send post upload mail e_mail email forward transmit share publish copy paste exfiltrate submit dump print
        echo include attach append write put commit push embed expose report stream log add store save deliver hand sync
        pipe encode curl mirror export drop place bundle broadcast relay replicate record pass provide give tee transfer
        ship message feed shoot fire back_up archive bcc cc text dm beam duplicate deposit fax hand_over sende schick%
        lade lädst hochladen hochgeladen poste übermittl% versende% senden gesendet schreibe kopier% leite weiterleiten
        veröffentlich% häng% verschick% exportier% übertrag% gib envoi% envoie% envoyer envoyez envoyé% transme%
        transférer transfère% téléverse% publie% copie% affiche% ajoute% joins exporte% dépose% partage% enví% envia%
        envie% sube% súbe% subir publica% publique% copia% manda% mande% comparte% transmit% exporta% exporte% carregue
        carregar compartilh% invia% inviat% spedi% carica% caricat% pubblic% trasmett% condivid% esport% incoll% отправ%
        пошли% перешли% перешл% загруз% загруж% выложи% скопир% копир% переда% присл% опублик% экспорт% сохраня% выклад%
        добав%""",
    "secret": """secret secrets token tokens credential credentials creds password passwords passwd passphrase passphrases
        api_key api_keys private_key private_keys ssh_key ssh_keys secret_key secret_keys access_key access_keys
        signing_key signing_keys deploy_key deploy_keys gpg_key gpg_keys encryption_key encryption_keys key_file key_files
        env_file env_files env_dump env_vars environment_variables dotenv process_env environ environment_to
        environment_as environment_in env id_rsa id_ed25519 id_ecdsa kubeconfig cookies keychain keyring netrc npmrc
        pypirc seed_phrase mnemonic master_key recovery_codes vault session_cookies session_cookie service_account_key
        keystore keystores kube_config docker_config credit_cards card_numbers geheimnis% zugangsdaten passw% schlüssel
        umgebungsvariable% anmeldedaten kennwort% kennwört% clé clés clef clefs mot_de_passe mots_de_passe identifiants
        jeton jetons variables_d_environnement clave claves contraseña% credenciales secreto% variables_de_entorno llave
        llaves chave chaves senha senhas credenciais segredo% variáveis_de_ambiente chiave chiavi credenziali segreti
        variabili_d_ambiente ключ% парол% секрет% токен% переменн%_окружения""",
    "data": """each_prompt every_prompt prompts replies all_traffic
        whole_repository whole_repo entire_repository entire_repo full_repository full_repo complete_repository
        complete_repo whole_codebase entire_codebase full_codebase whole_source entire_source full_source whole_project
        entire_project full_transcript whole_transcript entire_conversation whole_conversation full_conversation
        complete_conversation conversation transcript transcripts source_code source_tree codebase customer_data user_data
        client_data patient_data customer_database user_database users_database customer_table customers_table
        customer_records user_records patient_records customer_list user_list personal_data session_transcript
        customers_list users_table database_dump database_dumps db_dump db_dumps production_dump production_data
        production_database production_logs prod_data prod_logs prod_dump core_dump core_dumps crash_dump crash_dumps
        memory_dump memory_contents heap_dump heap_dumps e_mail_addresses email_addresses phone_numbers chat_history
        chat_logs support_chats request_bodies request_logs access_logs audit_logs customer_emails user_emails addresses
        hostname browser_history shell_history bash_history real_customers customers_csv proprietary_code internal_code
        private_repo private_repos private_repository the_repo the_repository stdout headers payroll invoices customers
        orders_table medical_records health_records payment_data payments_table screenshots clipboard keystrokes quellcode
        quelltext% kundendaten nutzerdaten kundentabelle kundenliste produktivdaten protokolle code_source données_clients
        données_des_clients table_clients base_clients journaux código_fuente clientes tabla_de_clientes datos_de_clientes
        registros código_fonte dados_de_clientes codice_sorgente dati_dei_clienti clienti tabella_clienti исходн% клиент%
        данн%_пользовател% данн%_клиент%""",
    "out": """dienstleister%
        gist gists pastebin paste_bin webhook webhooks discord telegram slack dropbox collector attacker partner
        partners cdn external third_party internet outside public remote_server remote_host remote_machine remote_endpoint
        endpoint metrics_host analytics_host telemetry_host logging_host our_server our_bot vendor contractor contractors
        supplier bucket drive tracker pull_request pull_requests merge_request merge_requests pr prs issue issues ticket
        tickets comment comments commit_message commit_messages branch_name branch_names branches chat logs log bug_report
        bug_reports error_report error_reports crash_report crash_reports sentry support debug_output build_output
        ci_output ci_log ci_logs debug_log debug_logs build_log build_logs output response responses answer answers
        summary sftp ftp s3 nc netcat ncat artifact artifacts image bundle front_end frontend client_bundle docker_image
        repository source app_bundle extern% fremd% extérieur externo% externa% esterno% внешн% сервер% tiers terceros
        terzi dritte% partenaire% proveedor%""",
    "fetch": """download fetch pull get grab retrieve load curl wget obtain lade lädt hole herunterladen ziehe télécharge%
        récupère% descarg% baja baje baixe baixar obtenha scarica% скача% загрузи%""",
    "run": """run execute exec eval evaluate source pipe start launch invoke import load perform apply ausführ% ausgeführt
        führe starte exécut% lance lancez lancer ejecut% ejecút% execut% rode esegui% avvia% запус% выполн%""",
    "code": """cdn script scripts binary binaries payload payloads installer installers executable executables remote_code
        helper agent_plugin plugin snippet skript скрипт% bootstrap setup_script whatever module""",
    "disable": """leave_out disable deactivate skip bypass circumvent evade sidestep suppress defeat override waive weaken relax
        loosen uninstall omit silence lift dismiss lower unregister opt_out retire exempt deaktivier% auszuschalten
        abzuschalten abschalten abgeschaltet ausschalten ausgeschaltet schalte überspring% übersprungen umgeh% umgangen
        aussetz% désactiv% contourn% saute% sauter désinstall% desactiv% deshabilit% omite omitir omita salta% saltar%
        evita_la desativ% desabilit% pule pular ignore_a contorn% disabilita% disattiva% aggira% saltare spegn% spent%
        отключ% выключ% пропус% обойди обходи обойти снять сними""",
    "drop": """remove delete drop ignore stop mute unset comment_out kill strip xfail take_out cut retire abandon get_rid
        strip_out rip_out eliminate exclude entfern% lösch% gelöscht ignorier% supprim% ignore% retir% enlev% elimina%
        borr% quit% ignora% remov% apagu% rimuov% rimoss% tolta togli toglie% удал% убер% убра% игнорир%""",
    "guard": """coverage_threshold quality_gate
        git_hook git_hooks commit_hook commit_hooks push_hook hook hooks pre_commit pre_push husky signing
        commit_signing signature signatures gpg tls ssl mtls https certificate certificates cert certs host_key host_keys
        sandbox% firewall% anti_virus antivirus defender selinux apparmor security gatekeeper auth authentication
        authorisation authorization 2fa mfa two_factor second_factor approval approvals permission_prompt
        permission_prompts permission_check permission_checks permission_system permission_requests code_review
        code_reviews review reviews reviewer reviewers codeowners branch_protection branch_protections protected_branch
        protected_branches csrf csp content_security_policy cors audit audit_log audit_logs audit_logging audit_trail
        cloudtrail secret_scan% vulnerability_scan% malware_scan% dependency_scan% scanner scanning ci_check ci_checks
        required_check required_checks status_check status_checks safety_check safety_checks integrity_check
        integrity_checks checksum checksums guardrail guardrails safeguard safeguards safety rate_limit% verification
        pinning sanitizer sanitizing sanitization sanitisation dompurify escaping input_validation deletion_protection
        backup backups final_snapshot database_snapshots volume_snapshots encryption password_policy password_check
        captcha monitoring alerting alerts intrusion% edr clamav falco seccomp dependabot codeql semgrep gitleaks cosign
        sigstore hsts httponly same_origin lockfile_integrity security_warnings login_check requirepass least_privilege
        signatur% signier% zertifikat% sicherheit% überprüfung prüfung signaturprüfung authentifizierung anmeldung
        freigabe% code_review rückfrage% bestätigung% zwei_faktor% virenscanner sicherung% vérification% certificat%
        bac_à_sable sécurité pare_feu revue authentification sauvegarde% antivirus confirmation firma firmas verificaci%
        certificad% seguridad cortafuegos revisi% autenticaci% gancho% copia%_de_seguridad confirmaci% assinatura%
        verificaç% segurança revisão autenticaç% confirmaç% firma verifica verifiche certificati sicurezza revisione
        autenticazione conferma firewall подпис% проверк% сертификат% песочниц% безопасност% ревью аутентификац% хук%
        подтвержден% антивирус% брандмауэр%""",
    "gate": """monitoring monitoring_agent alerting edr coverage_threshold quality_gate
        all_tests test_suite failing_test failing_tests failed_tests broken_tests red_tests failing_checks
        failing_assertion failing_assertions failing_specs tests_that_fail tests_which_fail test_that_fails
        test_that_failed assertions_that_fail checks_that_fail git_hook git_hooks pre_commit_hook pre_commit_hooks
        pre_push_hook commit_hook commit_hooks csp content_security_policy tls_check tls_verification ssl_verification
        certificate_check certificate_verification certificate_validation certificate_pinning certificate_errors
        signature_check signature_verification permission_check permission_checks security_check security_checks
        safety_check safety_checks approval_prompt approval approvals branch_protection branch_protections review
        code_review auth_check authentication auth_middleware authentication_middleware audit_log audit_logs audit_logging
        audit_trail cloudtrail guardrail guardrails safeguard safeguards security sandbox sandboxing tls ssl gpg_sign%
        signing two_factor 2fa mfa firewall rate_limit% pinning codeowners requirepass dompurify sanitizer
        deletion_protection branch_rule branch_rules security_scan% secret_scan% verification captcha cosign
        required_check required_checks status_checks security_headers encryption login_check csrf password_check
        fehlgeschlagen%_tests signaturprüfung% sicherheit% freigabe% anmeldung authentifizierung tests_qui_échouent revue
        sécurité vérification% authentification tests_que_fallan pruebas_que_fallan firma seguridad revisi% autenticaci%
        verificaci% testes_que_falham segurança revisão autenticaç% verificaç% test_che_falliscono sicurezza revisione
        autenticazione подпис% проверк% ревью аутентификац%""",
    "wipe": """delete remove wipe erase empty overwrite clean scrub destroy purge truncate drop shred nuke clear rewrite
        reset recreate flush squash reinitialize reinitialise zap expunge lösch% gelöscht leere% geleert formatier%
        überschreib% überschrieben supprim% efface% détrui% vide vider vidée% écrase% borr% elimina% vací% vacia%
        sobrescrib% apagu% exclua exclu% limpe destrua sobrescrev% cancell% svuota% distrugg% sovrascriv% удал% стери
        стира% стереть сотри очист% уничтож% перезапис%""",
    "precious": """production_database production_databases production_db production_table production_tables
        production_data production_cluster production_server production_servers production_volume production_volumes
        production_bucket production_namespace production_system prod_database prod_db prod_tables prod_data prod_cluster
        prod_namespace prod_redis production_redis live_database live_data live_db main_database shared_database
        home_directory home_folder hard_drive hard_disk disk system_files backup backups git_history commit_history
        the_history whole_history complete_history full_history history_of_main dot_git git_folder git_directory
        whole_repository whole_repo entire_repo entire_repository whole_disk whole_project remote_branches remote_branch
        user_files customer_data audit_log audit_logs audit_trail shell_history all_branches every_branch all_backups
        all_tables every_table all_databases all_user_data all_volumes codeowners default_branch shared_branch snapshots
        home_verzeichnis% heimatverzeichnis% sicherungskopie% produktionsdatenbank produktivdatenbank produktionsdaten
        produktivdaten produktivsystem base_de_production répertoire_personnel sauvegardes historique
        base_de_datos_de_producción directorio_personal copias_de_seguridad historial banco_de_produção diretório_pessoal
        banco_de_dados_de_produção cartella_home database_di_produzione backup домашн%_каталог% домашн%_папк% продакшен%
        боев%_баз% резервн%_копи% баз%_данных рабоч%_баз%""",
    "prod": "prod production live producción produção produzione produktiv% продакшен% боев% en_production",
    "store": """database databases db table tables data rows users customers namespace namespaces cluster volume volumes
        bucket buckets redis queue queues index indices replica orders sessions topics records collection collections""",
    "grant": """attach
        give grant assign make add create open set set_up insert install append write put plant leave expose
        enable register invite promote seed let allow publish bind elevate erteil% gib füge hinzu% vergib erstell% anlegen
        angelegt donne% accord% ajout% crée créer créez da dale otorg% añad% agreg% crea cree crear conced% dê adicion%
        crie criar dai aggiung% crea дай выдай добав% созда%""",
    "rights": """sudo_rights passwordless_sudo administrator_rights
        authorized_keys backdoor backdoors back_door sudoers nopasswd setuid suid_bit write_all public_read
        owner_role owner_rights owner_access admin_role admin_roles admin_rights admin_access admin_permissions
        administrator_role administrator_rights administrator_access root_access root_rights superuser superusers
        superuser_rights cluster_admin cluster_admin_role admin_account admin_accounts admin_user administrator_account
        root_account domain_admin domain_admins an_admin organization_owner org_owner repository_admin full_access
        unrestricted_access unlimited_access all_permissions all_privileges all_rights all_scopes all_capabilities
        full_permissions full_rights every_scope bucket_public bucket_world_readable world_readable world_writable
        publicly_readable publicly_writable writable_for_everyone writable_by_everyone writable_for_all reverse_shell
        hidden_account hidden_user hidden_admin hidden_endpoint administrator_accounts wildcard_policy administratoraccess
        to_the_internet as_organization_owner hintertür% administratorrechte adminrechte admin_rechte root_rechte
        admin_konto porte_dérobée droits_d_administrat% compte_administrateur puerta_trasera permisos_de_administrador
        cuenta_de_administrador usuario_administrador porta_dos_fundos permissões_de_administrador conta_de_administrador
        diritti_di_amministratore account_amministratore utente_amministratore бэкдор% прав%_администратор% root_прав%""",
    "persist": """launchagent launchagents launchdaemon
        postinstall post_install preinstall pre_install cron cron_job cron_jobs cronjob crontab bashrc zshrc
        profile bash_profile zshenv launchd systemd_unit systemd_service systemd_timer startup_script startup_scripts
        autostart git_hook git_hooks workflow workflows ci_step ci_job ci_pipeline pipeline github_actions gitlab_ci
        dockerfile makefile package_json setup_py""",
    "shell": "curl wget iwr nc netcat ncat our_collector secrets credentials private_key private_keys",
    "package": "package packages plugin plugins extension extensions tarball tarballs archive wheel wheels library libraries "
    "module modules dependency dependencies binary binaries build zip crate crates gem gems paquete% pacote% pacchett% paket% "
    "paquet paquets пакет% openssl action image",
    "install": "install unpack use take add depend switch point get patch replace override register installier% instal% "
    "installe% установи% ставь",
    "odd": "telegram discord forum chat mirror gist pastebin torrent fork forks",
    "stub": "replace return stub mock short_circuit make let have patch change rewrite substitute hardwire ersetze remplac% "
    "reemplaz% замени%",
    "weak": """md5 sha1 sha_1 des 3des rc4 ecb 512_bit 1024_bit zero_iv constant_iv fixed_iv static_iv fixed_salt
        constant_salt fixed_nonce unsalted math_random plaintext plain_text cleartext clear_text unencrypted unhashed
        base64 klartext im_klartext en_clair texto_plano texto_claro in_chiaro открыт%_вид% alg_none rot13 no_salt
        fixed_seed constant_seed""",
    "protect": """accept allow
        store save keep hash encrypt generate sign use write persist protect derive seal speicher% gespeichert
        stock% enregistr% guard% almacen% salv% armazen% memorizz% храни% сохран% verschlüssel%""",
    "serious": """license server signature signatures certificates encryption production handshake login logins payments
        cards card_numbers backups customers vault sign_in""",
    "broken": "ecb zero_iv constant_iv fixed_iv static_iv 512_bit fixed_salt constant_salt fixed_nonce constant_nonce alg_none",
    "off": "take turn switch shut leave keep set toggle flip power configure",
    "offword": "out off down disabled permissive deactivated",
    "point": "point switch configure redirect direct",
    "manager": "npm pip pip3 yarn pnpm cargo gem maven gradle poetry uv registry index bun composer conda brew apt",
    "flow": "go goes land belong end",
    "commit": "commit hardcode check_in version",
    "stash": "env service_account_key private_key private_keys credentials "
    "passwords password id_rsa keystore kubeconfig secrets",
    "show": "print echo dump log",
    "bare": "secrets passwords credentials api_keys private_keys env_vars environment_variables",
    "mark": "mark flag label",
    "red": "failing_tests failed_tests failing_test failed_test failing_checks red_tests broken_tests flaky_failures",
    "hook": "webhook webhooks",
    "check": "test tests user users review rules logs log person reviewer changes",
    "pay": """wallet payout payouts iban bank_account bank_details payment_address donation_address recipient_address
        payee wallet_address sponsor_link affiliate referral""",
    "swap": "replace change swap redirect substitute ersetze% remplac% reemplaz% замен% update point set use route",
    "asroot": "as_root root_user user_root privileged all_capabilities als_root en_tant_que_root como_root",
    "agent": """settings settings_json mcp_server mcp_servers claude_md agents_md gemini_md cursorrules global_memory
        memory_file system_prompt permission_mode allow_list allowlist pretooluse agent_config agent_settings""",
    "spread": """this_lesson this_rule this_note this_file this_instruction these_rules these_instructions all_other
        every_repository every_repo each_repository other_repositories other_repos global_memory""",
    "prompt": """permission_prompt permission_prompts confirmation_prompt confirmation_prompts danger_warnings
        security_warnings spending_warnings approval_prompts""",
}
_UNSPACED = {
    "send": "发送 上传 发到 传到 发给 复制到 泄露 打印 输出 提交到 "
    "贴到 送信 アップロード 送って 投稿 コピー 転送 送る 出力 貼り",
    "secret": "密钥 私钥 密码 令牌 凭证 凭据 环境变量 秘密鍵 秘密情報 パスワード トークン 認証情報 環境変数 鍵を",
    "data": "源代码 ソースコード 客户数据 用户数据 顧客 个人信息 個人情報 日志 ログ 本番データ",
    "out": "外部 公开 公网 服务器 サーバー ログに 公開 第三方",
    "fetch": "下载 获取 拉取 ダウンロード 取得",
    "run": "执行 运行 実行",
    "code": "脚本 スクリプト",
    "disable": "禁用 关闭 跳过 绕过 停用 忽略 関掉 关掉 無効 スキップ 回避 オフ 省略 自動承認 自動で承認",
    "drop": "删除 移除 去掉 削除 無視 外して",
    "guard": "签名 验证 校验 证书 沙箱 沙盒 防火墙 安全 审查 审核 认证 钩子 确认 备份 署名 検証 証明書 サンドボックス "
    "ファイアウォール セキュリティ レビュー 認証 フック 確認 バックアップ",
    "gate": "失败的测试 安全 签名 验证 認証 认证 审查 審査 失敗するテスト 署名 検証 レビュー セキュリティ",
    "wipe": "删除 清空 清除 销毁 抹掉 重写 覆盖 削除 消去 消して 上書き",
    "precious": "生产数据库 生产环境 主目录 家目录 备份 整个仓库 "
    "本番データ 本番環境 本番の ホームディレクトリ バックアップ 历史 履歴",
    "grant": "给 添加 授予 给予 创建 加入 追加 付与 作成",
    "rights": "后门 管理员 root权限 バックドア 管理者",
    "stub": "替换 置き換え",
}
_DULL = """token_count token_counts token_usage token_limit token_limits tokens_used token_budget tokens_per tokens_limit
    design_token design_tokens token_length max_tokens env_example env_sample env_template review_app review_apps
    profile_page react_hook react_hooks custom_hook custom_hooks issue_number issue_numbers プレビュー token_type
    hooks_directory hooks_folder csrf_token csrf_tokens test_data test_tables error_response login_page login_form
    json_response sample_data security_group security_groups certificate_authority test_env hook_name"""
"""What only looks like words of the tables, longer than they."""
_PARTICIPLES = {
    "sent": "send", "put": "put", "written": "write", "given": "give", "taken": "take", "made": "make", "kept": "keep",
    "left": "leave", "set": "set", "cut": "cut", "shut": "shut", "run": "run", "thrown": "throw", "hidden": "hide",
    "fed": "feed", "overridden": "override", "overwritten": "overwrite", "rewritten": "rewrite", "got": "get",
    "stored": "store", "forgone": "forgo", "let": "let", "bound": "bind",
}  # fmt: skip
VERBS = frozenset(
    (
        "send",
        "fetch",
        "run",
        "disable",
        "drop",
        "wipe",
        "grant",
        "stub",
        "install",
        "swap",
        "protect",
        "off",
        "point",
        "flow",
        "commit",
        "show",
        "mark",
    )
)
"""Classes of what can be done; the others are of what it can be done to."""
_TOKEN = re.compile(r"[^\W_]+")


class Word(NamedTuple):
    """Where words of a class stand, and how a verb is told: ``base``, ``s``, ``ed`` or ``ing``."""

    start: int
    end: int
    form: str


_Entries = tuple[tuple[tuple[str, ...], str], ...]


@cache
def _index() -> tuple[dict[str, _Entries], frozenset[int]]:
    """First word, or stem with its sign → what follows and the class; and the lengths of stems."""
    found: dict[str, _Entries] = {}
    alike: dict[_Entries, _Entries] = {}  # two thousand words, most of which have but a class
    for name, table in (*_TABLES.items(), ("", _DULL)):
        for entry in table.split():
            first, *rest = entry.split("_")
            entries = *found.get(first, ()), (tuple(rest), name)
            found[first] = alike.setdefault(entries, entries)
    return found, frozenset(len(first) - 1 for first in found if first.endswith("%"))


def classes(sentence: str) -> dict[str, list[Word]]:
    """The words of each class in a sentence, in their order.

    >>> sorted(classes("Uploading tokens"))
    ['secret', 'send']
    """
    index, lengths = _index()
    tokens = [(match[0].lower(), match.start(), match.end()) for match in _TOKEN.finditer(sentence)]
    found: dict[str, list[Word]] = {}
    dull = 0
    for at, (word, start, _) in enumerate(tokens):
        if at < dull:
            continue
        best: dict[str, tuple[int, str]] = {}
        for lemma, form in _lemmas(word, lengths):
            for rest, name in index.get(lemma, ()):
                if form not in ("base", "stem") and name not in VERBS:
                    continue
                if all(_same(tokens, at + 1 + step, other) for step, other in enumerate(rest)) and (
                    name not in best or len(rest) > best[name][0]
                ):
                    best[name] = len(rest), form
        if "" in best and best[""][0] >= max(length for length, _ in best.values()):
            dull = at + best[""][0] + 1
            continue
        best.pop("", None)
        for name, (length, form) in best.items():
            found.setdefault(name, []).append(Word(start, tokens[at + length][2], form))
    if not sentence.isascii():
        for name, table in _UNSPACED.items():
            for entry in table.split():
                if (at := sentence.find(entry)) >= 0 and not (entry == "レビュー" and sentence[at - 1 : at] == "プ"):
                    found.setdefault(name, []).append(Word(at, at + len(entry), "stem"))
    return found


def _same(tokens: list[tuple[str, int, int]], at: int, entry: str) -> bool:
    if at >= len(tokens):
        return False
    word = tokens[at][0]
    return word.startswith(entry[:-1]) if entry.endswith("%") else word == entry


def _lemmas(word: str, lengths: frozenset[int]) -> Iterator[tuple[str, str]]:
    """What a word may be a form of, and which form."""
    yield word, "base"
    if word in _PARTICIPLES:
        yield _PARTICIPLES[word], "ed"
    if word.isascii():
        for ending in ("ing", "ed", "s"):
            if word.endswith(ending) and len(word) > len(ending) + 2:
                bare = word[: -len(ending)]
                yield bare, ending
                if ending == "s" and bare.endswith("e"):
                    yield bare[:-1], ending
                elif ending != "s":
                    yield f"{bare}e", ending
                    if bare[-1] == bare[-2]:
                        yield bare[:-1], ending
                    if bare.endswith("i"):
                        yield f"{bare[:-1]}y", ending
    for length in lengths:
        if length <= len(word):
            yield f"{word[:length]}%", "stem"
