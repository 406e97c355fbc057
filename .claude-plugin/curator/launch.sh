#!/bin/sh
# Runs curator for an agent that has it as a plugin, wherever it was installed, and says how to install it where it was not.
missing='curator is not installed here, so no lesson is sent. Install it once (uv tool install git+https://github.com/lesson-curator/curator), then start this agent again.'
# What a project may have written is not run: what lies in the outermost repository around the agent; without one in the
# highest folder around it below the home folder, or elsewhere in its own. The home folder and what is above it are no project.
# curator.io.git has the same rule. Where HOME names no folder, every folder is elsewhere.
resolve() { # sets place to a folder without links; $( ) takes newlines off the end, which may be its name's
    place=$(cd -P "$1" 2>/dev/null && pwd -P && echo x) || return
    place=${place%??}
    case $place in //*) place=${place#/} ;; esac
}
leads_outside() { # whether a program, and what its links lead to, lies outside the project; not where that can't be told
    [ -n "$project" ] || return 0
    file=$1
    lies_outside || return
    links=0
    while [ -L "$file" ]; do
        links=$((links + 1))
        [ "$links" -le 40 ] || return
        # The first readlink in PATH may be the project's.
        link=$(PATH=/usr/bin:/bin:/run/current-system/sw/bin && readlink "$file" && echo x) || return
        link=${link%??}
        case $link in /*) file=$link ;; *) file=${file%/*}/$link ;; esac
    done
    lies_outside
}
lies_outside() {
    resolve "${file%/*}/" || return
    case $place/ in "$project"/*) return 1 ;; esac
}
home=/
case $HOME in /*) if resolve "$HOME"; then home=$place; else home=$HOME; fi ;; esac
resolve . || place=
folder=$place
here=$folder
top=
project=
while [ -n "$folder" ]; do
    case ${home%/}/ in "$folder"/*) break ;; esac
    if [ -e "$folder/.git" ]; then project=$folder; fi
    top=$folder
    folder=${folder%/*}
done
if [ -z "$project" ] && [ -n "$top" ]; then
    if [ -n "$folder" ] && [ "$folder" = "$home" ]; then project=$top; else project=$here; fi
fi
program=
set -f
IFS=:
# Agents that are started from a desktop have another PATH than a terminal.
for folder in $PATH "$HOME/.local/bin" /opt/homebrew/bin /usr/local/bin; do
    case $folder in /*) ;; *) continue ;; esac # a relative one would be the project's
    [ -f "$folder/curator" ] && [ -x "$folder/curator" ] || continue
    leads_outside "$folder/curator" || continue
    program=$folder/curator
    break
done
set +f
unset IFS
case $1 in
hook)
    # Copilot and Qwen Code take Claude Code's plugins, and call these hooks in their own way.
    agent=$2
    if [ -n "$COPILOT_PLUGIN_ROOT" ]; then agent=copilot-cli; elif [ -n "$QWEN_PROJECT_DIR" ]; then agent=qwen; fi
    # An agent takes any code but 0 for a reason to stop.
    if [ -n "$program" ]; then
        "$program" hook "$agent" "$3" 2>/dev/null || :
    elif [ "$3" = SessionStart ]; then
        echo "{\"systemMessage\": \"$missing\"}" # printf is a program to some shells
    fi
    ;;
mcp)
    # Copilot starts it in the plugin's folder and names no other. From the home folder, the server goes by what a call names.
    [ -n "$COPILOT_PLUGIN_ROOT" ] && cd "$HOME"
    [ -n "$program" ] && exec "$program" "$@"
    echo "$missing" >&2
    exit 127
    ;;
*)
    # An agent's command shows what is printed, and none of it where the code is not 0.
    if [ -n "$program" ]; then "$program" "$@" 2>&1 || :; else echo "$missing"; fi
    ;;
esac
