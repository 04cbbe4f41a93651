# Completion of fullstop for bash: source <(fullstop completion bash)
_fullstop_words() {
  COMPREPLY=($(compgen -W "$1" -- "${COMP_WORDS[COMP_CWORD]}"))
}

_fullstop_files() {
  local IFS=$'\n'
  compopt -o filenames 2> /dev/null
  COMPREPLY=($(compgen -f -- "${COMP_WORDS[COMP_CWORD]}"))
}

_fullstop() {
  local current="${COMP_WORDS[COMP_CWORD]}" command="${COMP_WORDS[1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    _fullstop_words 'sing rest leave --help --version'
    return
  fi
  case "$command ${COMP_WORDS[COMP_CWORD - 1]}" in
    'sing --key') _fullstop_words 'major minor'; return ;;
    'sing --sheet') _fullstop_files; return ;;
    'sing --verse') return ;;
  esac
  case "$command" in
    sing)
      case "$current" in -*) _fullstop_words '--loud --key --sheet --verse --help'; return ;; esac
      _fullstop_files; return
      ;;
    rest)
      case "$current" in -*) _fullstop_words '--help'; return ;; esac
      if [ "$COMP_CWORD" -eq 2 ]; then _fullstop_words 'short long'; fi
      ;;
    leave)
      case "$current" in -*) _fullstop_words '--help'; return ;; esac
      ;;
  esac
}

complete -F _fullstop fullstop
