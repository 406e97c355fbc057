tmux kill-session -t lkB4
