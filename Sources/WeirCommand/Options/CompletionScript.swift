// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The completion script of a shell: the parser's script, with additions for Weir's arguments.
///
/// An argument such as `archive:/My Album/` contains a colon and blanks, and Readline splits words at colons. After
/// a folder the path continues, so the shell must not append a blank.
struct CompletionScript {
    /// The whole script.
    let text: String

    /// Adds to the parser's script; `nil` if the user did not ask the program for a completion script.
    ///
    /// - Parameters:
    ///   - generated: the parser's script.
    ///   - arguments: the arguments of the program.
    init?(_ generated: String, for arguments: [String]) {
        guard arguments.first?.hasPrefix("--generate-completion-script") == true else { return nil }
        let isZsh = generated.hasPrefix("#compdef ")
        let addition =
            isZsh ? Self.zsh : generated.hasPrefix("function ") ? Self.fish : Self.bash
        // The last lines of the script for zsh call functions, which must be defined before them.
        let end =
            isZsh
            ? generated.range(of: "\nif [[ \"${funcstack[1]}\"", options: .backwards)?.lowerBound
            : nil
        let place = end ?? generated.endIndex
        self.text = "\(generated[..<place])\n\(addition)\(generated[place...])"
    }

    /// Joins the words that Readline splits at colons and equal signs.
    ///
    /// It also removes backslashes and quotes, and cuts off the text after the cursor.
    private static let bash = #"""
        # The text of a word as it is typed: without backslashes and quotes.
        __weir_plain() {
            local typed="${1}" plain='' quote='' sign
            while [[ -n "${typed}" ]]; do
                sign="${typed:0:1}"
                typed="${typed:1}"
                if [[ "${sign}" == '\' && "${quote}" != "'" ]]; then
                    plain+="${typed:0:1}"
                    typed="${typed:1}"
                elif [[ -n "${quote}" && "${sign}" == "${quote}" ]]; then
                    quote=''
                elif [[ -z "${quote}" && ( "${sign}" == "'" || "${sign}" == '"' ) ]]; then
                    quote="${sign}"
                else
                    plain+="${sign}"
                fi
            done
            printf %s "${plain}"
        }

        # Completes whole words; Readline parts them at colons and equal signs.
        __weir_whole_words() {
            local rest="${COMP_LINE:0:COMP_POINT}" word blanks head=''
            local -a words=()
            local -i index last=-1
            for ((index = 0; index <= COMP_CWORD; index++)); do
                word="${COMP_WORDS[index]}"
                blanks="${rest%%[![:space:]]*}"
                rest="${rest#"${blanks}"}"
                # Ignores the text after the cursor.
                ((index == COMP_CWORD)) && word="${rest}"
                rest="${rest#"${word}"}"
                if ((last < 0)) || [[ -n "${blanks}" ]]; then
                    ((last += 1))
                    words[last]="${word}"
                    head=''
                else
                    head="${words[last]}"
                    words[last]+="${word}"
                fi
            done
            # The text that Readline keeps before the word that it replaces.
            [[ "${word}" == [:=]* ]] && head+="${word:0:1}"
            [[ "${words[last]:0:1}" == [\'\"] ]] && head=''
            head="$(__weir_plain "${head}")"
            for ((index = 0; index <= last; index++)); do
                words[index]="$(__weir_plain "${words[index]}")"
            done

            local -a COMP_WORDS=("${words[@]}")
            local -i COMP_CWORD="${last}"
            local IFS=$' \t\n'
            local COMP_LINE="${words[*]}"
            local -i COMP_POINT="${#COMP_LINE}"
            _weir "${words[0]}" "${words[last]}" "${words[last > 0 ? last - 1 : 0]}"

            local all=''
            for ((index = 0; index < ${#COMPREPLY[@]}; index++)); do
                [[ "${COMPREPLY[index]}" == */ ]] && compopt -o nospace 2>/dev/null
                COMPREPLY[index]="${COMPREPLY[index]#"${head}"}"
                all+="${COMPREPLY[index]}"
            done
            # As a name of a file, a colon would get a backslash.
            [[ "${all}" == *:* && "${all}" != *[!-A-Za-z0-9_./:]* ]] && compopt +o filenames 2>/dev/null
            return 0
        }

        complete -o filenames -F __weir_whole_words weir

        """#

    /// Removes backslashes and quotes, cuts off the text after the cursor, and adds no blank after a folder.
    private static let zsh = #"""
        __weir_custom_complete() {
            local word="${(Q)PREFIX}"
            local -a before=("${(@Q)command_line[1,current_word_index]}") found folders others
            found=("${(@f)"$("${command_name}" "${(@)argv[1,-2]}" "${#word}" "${(@)before}" "${word}")"}")
            # The last one is not a proposal.
            found=("${(@)found[1,-2]}")
            folders=("${(@M)found:#*/}")
            others=("${(@)found:#*/}")
            (( ${#folders} )) && compadd -V weir-folders -S '' -- "${(@)folders}"
            (( ${#others} )) && compadd -V weir -- "${(@)others}"
        }

        """#

    /// Removes backslashes and quotes, and cuts off the text after the cursor.
    private static let fish = #"""
        function __weir_custom_completion
            set -x SAP_SHELL fish
            set -x SAP_SHELL_VERSION $FISH_VERSION
            set -l before (commandline -opc)
            set -l word (commandline -ct)
            set -l plain (string unescape -- $word)
            or set plain (string replace -r '^[\'"]' '' -- $word)
            command $before[1] $argv[1..-3] (count $before) (string length -- "$plain") $before "$plain"
        end

        """#
}
