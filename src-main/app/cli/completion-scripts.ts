import type { Command, Option } from 'commander'

export const COMPLETED_SHELLS = [
  { name: 'bash', install: 'drydock completion bash > ~/.local/share/bash-completion/completions/drydock' },
  { name: 'zsh', install: "drydock completion zsh > ~/.drydock.zsh && echo 'source ~/.drydock.zsh' >> ~/.zshrc" },
  { name: 'fish', install: 'drydock completion fish > ~/.config/fish/completions/drydock.fish' },
] as const

type Spot = { readonly path: string; readonly commands: readonly Command[]; readonly options: readonly Option[] }

export function completionScript(shell: (typeof COMPLETED_SHELLS)[number]['name'], program: Command): string {
  const spots = spotsOf(program, '')
  if (shell === 'fish') return fishScript(spots)
  const start =
    shell === 'zsh' ? `autoload -Uz compinit bashcompinit\n(( $+functions[compdef] )) || compinit\nbashcompinit\n` : ''
  return `${start}${bashScript(spots)}`
}

function spotsOf(command: Command, path: string): readonly Spot[] {
  const { commands } = command
  const help = command.createHelp()
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)]
  const inner = commands.flatMap((child) => spotsOf(child, `${path} ${child.name()}`.trim()))
  return [{ path, commands, options }, ...inner]
}

const names = ({ short, long }: Option): readonly string[] => [long, short].filter((name) => name !== undefined)
const takesValue = ({ required, optional }: Option) => required || optional

const stepsOf = (spots: readonly Spot[]) =>
  spots.flatMap(({ path, commands }) => commands.map((command) => `${path} ${command.name()}`))

function bashScript(spots: readonly Spot[]): string {
  const ofSpots = (prefix: string, wordsOf: (spot: Spot) => readonly string[]) =>
    spots
      .filter((spot) => wordsOf(spot).length > 0)
      .map((spot) => `    ${quoted(`${prefix}${spot.path}`)}) list=${quoted(wordsOf(spot).join(' '))} ;;`)
      .join('\n')
  const values = spots.flatMap(({ path, options }) =>
    options.filter(takesValue).map((option) => ({ option, at: names(option).map((name) => `${path}|${name}`) })),
  )
  const choices = values.flatMap(({ option, at }) =>
    option.argChoices === undefined
      ? []
      : [`    ${at.map(quoted).join('|')}) list=${quoted(option.argChoices.join(' '))} ;;`],
  )
  const others = values.filter(({ option }) => option.argChoices === undefined).flatMap(({ at }) => at.map(quoted))
  // No associative arrays, as macOS has bash 3. No variable named path or words, as zsh defines them.
  return `_drydock() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} spot= kind=commands list= at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "$spot \${COMP_WORDS[at]}" in
    ${stepsOf(spots).map(quoted).join('|')}) spot="\${spot:+$spot }\${COMP_WORDS[at]}" ;;
    esac
  done
  case $word in -*) kind=options ;; esac
  case "$spot|$before" in
${choices.join('\n')}
    ${others.join('|')}) ;;
    *)
    case "$kind $spot" in
${ofSpots('commands ', ({ commands }) => commands.map((command) => command.name()))}
${ofSpots('options ', ({ options }) => options.flatMap(names))}
    esac ;;
  esac
  COMPREPLY=($(compgen -W "$list" -- "$word"))
}
complete -o default -F _drydock drydock
`
}

function fishScript(spots: readonly Spot[]): string {
  const lines = spots.flatMap(({ path, commands, options }) => {
    const at = `complete -c drydock -n ${quoted(`__drydock_at ${quoted(path)}`)}`
    return [
      ...commands.map(
        (command) => `${at} -f -a ${command.name()} -d ${described({ description: command.description() })}`,
      ),
      ...options.map((option) => {
        const flags = [option.long && `-l ${option.long.slice(2)}`, option.short && `-s ${option.short.slice(1)}`]
        const value = option.argChoices
          ? ` -x -a ${quoted(option.argChoices.join(' '))}`
          : takesValue(option)
            ? ' -r'
            : ''
        return `${at} ${flags.filter(Boolean).join(' ')}${value} -d ${described(option)}`
      }),
    ]
  })
  return `function __drydock_at
  set -l spot ''
  for word in (commandline -opc)[2..-1]
    if contains -- "$spot $word" ${stepsOf(spots).map(quoted).join(' ')}
      set spot (string trim -- "$spot $word")
    end
  end
  test "$spot" = "$argv[1]"
end
${lines.join('\n')}
`
}

const described = ({ description }: Pick<Option, 'description'>) => quoted(description.replaceAll('\\', '\\\\'))

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
