# Sourced by the zsh in the terminal: tells what is suggested instead of showing it, and ends.
PROMPT= RPROMPT=
autoload -Uz compinit && compinit -u -D
source $1
bindkey '^I' complete-word

compadd () {
  # Some calls only ask which words would match.
  if (( ${@[(I)-[OAD]]} )); then
    builtin compadd "$@"
    return
  fi
  local -a matches
  builtin compadd -A matches "$@"
  local match
  for match in ${(Q)matches}; do print -r -- $'\n'"SUGGESTS $match"; done
}
finish () {
  print $'\n'"IS DONE"
  exit
}
comppostfuncs=(finish)
print "IS READY"
