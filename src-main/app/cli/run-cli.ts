import { type Command, CommanderError } from 'commander'
import packageJson from '../../../package.json' with { type: 'json' }
import { AppError, errorBody } from '../../contract/errors.ts'
import { PROGRAM_OPTIONS, readCommand } from './arguments.mjs'
import { CliCommand } from './cli-command.ts'
import { CliError, EXIT_CODE_HELP, EXIT_CODES, type ExitCode } from './cli-error.ts'
import { TOPICS } from './commands.ts'
import { nearest, synonym } from './did-you-mean.ts'
import { asCalled, escaped, plainText } from './output.ts'
import type { GlobalOptions } from './session.ts'
import type { Surroundings } from './surroundings.ts'

export async function runCli(argv: readonly string[], surroundings: Surroundings): Promise<ExitCode> {
  const program = buildProgram(surroundings)
  let called: Command = program
  program.hook('preAction', (_program, command) => {
    called = command
    if (command.name() === 'list') refuseSynonym(command)
  })
  try {
    await addCommands(program, argv, surroundings)
    await program.parseAsync([...argv], { from: 'user' })
    return EXIT_CODES.ok
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT_CODES.ok
    const failure = asCliError(error)
    const { json: asked, data } = program.opts<GlobalOptions>()
    const json = asked === true || argv.includes('--json')
    const message = json ? '' : await messageOf(failure, called)
    surroundings.stderr.write(
      json
        ? `${escaped(JSON.stringify(failure.body))}\n`
        : `drydock: ${asCalled(oneLine(message), surroundings, data)}\n`,
    )
    return failure.exitCode
  }
}

function buildProgram(surroundings: Surroundings): CliCommand {
  const program = new CliCommand('drydock', surroundings)
    .description('Serverless GPU endpoints on your own machine: a durable queue, the v2 job API, and workers.')
    .version(packageJson.version)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => void surroundings.stdout.write(text),
      writeErr: (text) => void surroundings.stderr.write(text),
      outputError: () => {},
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .details(`
Examples:
  $ drydock start                                  start the service and its sample endpoint
  $ drydock endpoint create hello --handler hello.py
  $ drydock runsync hello '{"name": "Ada"}'
  $ drydock init demo && cd demo && drydock deploy

${EXIT_CODE_HELP}`)
    .exitOverride()
  for (const [flags, description] of PROGRAM_OPTIONS) program.option(flags, description)
  return program
}

/** Builds the program with the options of every command, as completion and the reference list them. */
export async function buildWholeProgram(surroundings: Surroundings): Promise<CliCommand> {
  const program = buildProgram(surroundings)
  await addCommands(program, ['completion'], surroundings)
  return program
}

async function addCommands(program: CliCommand, argv: readonly string[], surroundings: Surroundings): Promise<void> {
  const { command: called } = readCommand(argv)
  for (const [topic, rows] of Object.entries(TOPICS))
    for (const [name, [description, load]] of Object.entries(rows)) {
      const command = program.command(name).description(description).helpGroup(`${topic}:`)
      if (name === called || called === 'completion') (await load())(command, surroundings)
    }
  // After the commands, which would otherwise take it over.
  program.commandsGroup('More:').helpCommand('help [command]', 'display help for a command')
  nameHelpOnError(program)
}

function nameHelpOnError(command: CliCommand): void {
  command.exitOverride((error) => {
    if (error.exitCode === 0) throw error
    throw mistyped(error, command) ?? wrongUse(whyWrong(error, command), command, error)
  })
  for (const child of command.commands as CliCommand[]) nameHelpOnError(child)
}

const MISSING = ['commander.missingArgument', 'commander.missingMandatoryOptionValue']

function whyWrong(
  { code, message }: CommanderError,
  { args, registeredArguments, example, commands, parent }: CliCommand,
): string {
  if (code === 'commander.help') return 'A command is missing.'
  const why = message.replace(/^error: /, '')
  if (code === 'commander.unknownCommand' && parent !== null && !why.includes('Did you mean'))
    return `${why}. Choose one of ${commands.map((one) => one.name()).join(', ')}`
  if (!MISSING.includes(code) || example === undefined) return why
  const meaning = code === MISSING[0] ? `: ${registeredArguments[args.length]?.description}` : ''
  return `${why}${meaning}. Example: \`${example}\``
}

function wrongUse(why: string, command: Command, cause?: CommanderError): CliError {
  return new CliError('USAGE', { why: `${why.replace(/\.?$/, '.')} See \`${pathOf(command)} --help\`.` }, { cause })
}

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`

const TAKEN_FOR_LIST = ['commander.excessArguments', 'commander.unknownOption']

/** A group's default command takes an unknown subcommand for an argument, and its options for its own. */
function mistyped(error: CommanderError, command: Command): CliError | undefined {
  const { parent, args, registeredArguments } = command
  const [word = ''] = args
  if (!TAKEN_FOR_LIST.includes(error.code) || parent?.args[0] !== word || word.startsWith('-')) return undefined
  const names = parent.commands.map((one) => one.name())
  const near = synonym(word, names) ?? nearest(word, names)
  if (near === undefined && registeredArguments.length > 0) return undefined
  const hint = near === undefined ? '' : ` (Did you mean ${near}?)`
  return wrongUse(`unknown command '${word}'${hint}`, parent, error)
}

/** Refuses `schedule create`, which would list the schedules of an endpoint named create. */
function refuseSynonym({ parent, args: [word = ''] }: Command): void {
  const names = parent?.commands.map((one) => one.name()) ?? []
  const near = synonym(word, names)
  if (parent?.args[0] !== word || names.includes(word) || near === undefined) return
  throw wrongUse(`unknown command '${word}' (Did you mean ${near}?)`, parent)
}

function asCliError(error: unknown): CliError {
  if (error instanceof CliError) return error
  if (error instanceof AppError)
    return new CliError('SERVICE_REFUSED', { why: error.message }, { body: errorBody(error), cause: error })
  const why = error instanceof Error ? error.message : String(error)
  return new CliError('UNEXPECTED', { why: why.replace(/\.$/, '') }, { cause: error })
}

// Only a person gave options; programs get the body as the service wrote it.
async function messageOf({ body, message }: CliError, called: Command): Promise<string> {
  if (body.code !== 'BAD_FIELD') return message
  const { withOption } = await import('./name-option.ts')
  return withOption(message, called)
}

function oneLine(text: string): string {
  return plainText(text)
    .trim()
    .replace(/\s*\n\s*/g, ' ')
}
