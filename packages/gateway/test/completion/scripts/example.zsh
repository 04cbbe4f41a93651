#compdef fullstop
# Completion of fullstop for zsh: fullstop completion zsh > "${fpath[1]}/_fullstop"
_fullstop() {
  local -a commands=(
    'sing:it'\''s a song\: a \ long one'
    'rest:rest'
    'leave:leave'
  )
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    compadd -- --help --version
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
    sing)
      _arguments -S \
        '--loud[doesn'\''t whisper \[much\]]' \
        '--key[the key\: of the song]:K:(major minor)' \
        '--sheet[the sheet]:FILE:_files' \
        '*--verse[which verses]:N: ' \
        '--help[this text]' \
        '*:file:_files'
      ;;
    rest)
      _arguments -S \
        '--help[this text]' \
        '1:what:(short long)'
      ;;
    leave)
      _arguments -S \
        '--help[this text]'
      ;;
  esac
}

if [ "$funcstack[1]" = _fullstop ]; then _fullstop "$@"; else compdef _fullstop fullstop; fi
