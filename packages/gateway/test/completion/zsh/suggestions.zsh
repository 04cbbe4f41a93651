# Prints what zsh suggests at the end of a line, one to a line: zsh -f suggestions.zsh SCRIPT LINE
# Completion needs a terminal, so a second zsh runs in one, in which the key for it is pressed.
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "source ${(q)0:A:h}/shell.zsh ${(q)1}"
zpty -r shell output '*IS READY*' || exit 1
zpty -w -n shell "$2"$'\t'
zpty -r shell output '*IS DONE*' || exit 1
print -rl -- ${${(M)${(f)${output//$'\r'/}}:#SUGGESTS *}#SUGGESTS }
zpty -d shell
