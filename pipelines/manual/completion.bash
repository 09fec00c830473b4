# SPDX-License-Identifier: LGPL-2.1-or-later
# bash completion of `tandem`. It asks the command's own help, so that it knows what this version knows.

# The names of rows "  name   what it is" in the help of $1 before its options, or in all of the main help.
_tandem_rows() {
  sed -n '/^Options:/q; s/^  \([a-z][a-z-]*\)\( [A-Z][^ ]*\)\{0,1\}  .*/\1/p' <<<"$1"
}

# What --help calls the value of the option $2: "FILE|URI|camera".
_tandem_value() {
  sed -n "s/^  \(-., \)\{0,1\}$2=\([^ ]*\) .*/\2/p" <<<"$1"
}

_tandem() {
  local cur prev words cword split
  _init_completion -s || return
  local tandem=$1 help value

  if ((cword == 1)); then
    COMPREPLY=($(compgen -W "$(_tandem_rows "$("$tandem" --help 2>/dev/null)") help --help --version" -- "$cur"))
    return
  fi
  if [[ ${words[1]} == help ]]; then
    ((cword == 2)) && COMPREPLY=($(compgen -W "$(_tandem_rows "$("$tandem" --help 2>/dev/null)")" -- "$cur"))
    return
  fi

  help=$("$tandem" "${words[1]}" --help 2>/dev/null) || return
  value=
  [[ $prev == -* ]] && value=$(_tandem_value "$help" "$prev")
  if [[ $value ]]; then
    # Words in small letters stand for themselves; FILE, DIR and FOLDER are places.
    local choices=$(tr '|' '\n' <<<"$value" | grep -x '[a-z][a-z0-9-]*')
    COMPREPLY=($(compgen -W "$choices" -- "$cur"))
    case "|$value|" in
      *'|FILE|'*) _filedir ;;
      *'|DIR|'* | *'|FOLDER|'*) _filedir -d ;;
    esac
    return
  fi
  $split && return
  if [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$(_parse_help - <<<"$help")" -- "$cur"))
    [[ ${COMPREPLY-} == *= ]] && compopt -o nospace
    return
  fi
  local rows=$(_tandem_rows "$help")
  if ((cword == 2)) && [[ $rows ]]; then
    COMPREPLY=($(compgen -W "$rows" -- "$cur"))
    return
  fi
  _filedir
} && complete -F _tandem tandem
