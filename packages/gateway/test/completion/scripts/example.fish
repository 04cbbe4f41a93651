# Completion of fullstop for fish: fullstop completion fish > ~/.config/fish/completions/fullstop.fish
complete -c fullstop -f
complete -c fullstop -n __fish_use_subcommand -l help -d 'what there is'
complete -c fullstop -n __fish_use_subcommand -l version -d 'which version this is'
complete -c fullstop -n __fish_use_subcommand -a sing -d 'it\'s a song: a \\ long one'
complete -c fullstop -n '__fish_seen_subcommand_from sing' -l loud -d 'doesn\'t whisper [much]'
complete -c fullstop -n '__fish_seen_subcommand_from sing' -l key -x -a 'major minor' -d 'the key: of the song'
complete -c fullstop -n '__fish_seen_subcommand_from sing' -l sheet -r -F -d 'the sheet'
complete -c fullstop -n '__fish_seen_subcommand_from sing' -l verse -x -d 'which verses'
complete -c fullstop -n '__fish_seen_subcommand_from sing' -l help -d 'this text'
complete -c fullstop -n '__fish_seen_subcommand_from sing' -F
complete -c fullstop -n __fish_use_subcommand -a rest -d 'rest'
complete -c fullstop -n '__fish_seen_subcommand_from rest' -l help -d 'this text'
complete -c fullstop -n '__fish_seen_subcommand_from rest; and not __fish_seen_subcommand_from short long' -a 'short long'
complete -c fullstop -n __fish_use_subcommand -a leave -d 'leave'
complete -c fullstop -n '__fish_seen_subcommand_from leave' -l help -d 'this text'
