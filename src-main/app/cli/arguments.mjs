/**
 * Options before a command. The launcher needs them before installation, so this file has no dependencies and runs on
 * any Node.
 */

/** Flags and descriptions. @type {readonly (readonly [flags: string, description: string])[]} */
export const PROGRAM_OPTIONS = [
  ['--data <dir>', "data folder of the service (SVC_DATA; default: the user's own)"],
  ['--url <url>', 'address of the service (SVC_BASE_URL)'],
  ['--key <key>', 'account or endpoint key (SVC_API_KEY)'],
  ['--json', 'JSON output: one document, errors as JSON on stderr'],
]

const WITH_VALUE = PROGRAM_OPTIONS.filter(([flags]) => flags.includes('<')).map(([flags]) => flags.split(' ')[0])

/**
 * The command; `help` names it after itself.
 * @param {readonly string[]} argv arguments after the program's name
 * @returns {{ command?: string, isHelp: boolean }}
 */
export function readCommand(argv) {
  const words = argv.filter((word, at) => !word.startsWith('-') && !WITH_VALUE.includes(argv[at - 1]))
  const asks = words[0] === 'help'
  return { command: asks ? words[1] : words[0], isHelp: asks || argv.includes('--help') || argv.includes('-h') }
}

/** Whether the arguments run a service in this process. @param {readonly string[]} argv */
export function runsService(argv) {
  const { command, isHelp } = readCommand(argv)
  return !isHelp && (command === 'serve' || command === 'start')
}
