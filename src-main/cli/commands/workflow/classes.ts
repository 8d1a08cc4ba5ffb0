import { type Command, Option } from 'commander'
import type { ClassPackage } from '../../../domain/workflow/packages/class-packages.ts'
import { ago } from '../../format.ts'
import type { Output } from '../../output.ts'
import { plainWords } from '../../plain-words.ts'
import { openSession, outputOf } from '../../session.ts'
import type { Surroundings } from '../../surroundings.ts'
import type { KnownClasses } from '../../workflow/read-classes.ts'

type ClassesOptions = { readonly server?: string; readonly endpoint?: string; readonly output?: string }

/** `drydock workflow classes`: which classes of nodes are known, and their facts as a file. */
export function addWorkflowClasses(parent: Command, surroundings: Surroundings): void {
  parent
    .command('classes')
    .description('list the packages and classes of nodes that are known, or read those of a ComfyUI server')
    .addOption(
      new Option('--server <url>', 'ask this ComfyUI server, as in http://127.0.0.1:8188').conflicts('endpoint'),
    )
    .option('--endpoint <endpoint>', 'those that are known of this endpoint')
    .option('-o, --output <file>', 'write their facts to this file: no explanations, no names of your files')
    .addHelpText(
      'after',
      `
Without an option: those that come along. Needs no service, but with --endpoint. A file of classes is taken by
PUT /api/node-types/ENDPOINT, and resources/node-types.json is one.

Examples:
  $ drydock workflow classes
  $ drydock workflow classes --endpoint comfyui
  $ drydock workflow classes --server http://127.0.0.1:8188 -o node-types.json`,
    )
    .action(async (options: ClassesOptions, command: Command) => {
      const output = outputOf(command, surroundings)
      const { factsText, ownClasses, classesOfEndpoint, classesOfServer } = await import(
        '../../workflow/read-classes.ts'
      )
      const { classPackages } = await import('../../../domain/workflow/packages/class-packages.ts')
      const { readNodeTypes } = await import('../../../domain/workflow/node-types.ts')
      const known =
        options.server !== undefined
          ? await classesOfServer(options.server)
          : options.endpoint === undefined
            ? await ownClasses()
            : await classesOfEndpoint((await openSession(command, surroundings)).client, options.endpoint)
      if (options.output !== undefined) {
        const { writeText } = await import('../../workflow/write-text.ts')
        await writeText(options.output, factsText(known), surroundings)
      }
      const packages = classPackages(readNodeTypes(known.classes).values())
      const { classes: _classes, ...origin } = known
      if (output.json) output.document({ ...origin, file: options.output, packages })
      else if (options.output !== undefined) output.line(`${options.output}: ${inWords(known)}`)
      else show(output, known, packages, surroundings.now())
    })
}

const inWords = ({ classes, version }: KnownClasses) =>
  `${classes.size} classes${version === undefined ? '' : ` of ${plainWords(version)}`}`

const SOURCES = { 'built-in': 'came with Drydock', server: 'a ComfyUI server', file: 'a file' }

function show(output: Output, known: KnownClasses, packages: readonly ClassPackage[], now: number): void {
  const { source, server, version, readAt, classes } = known
  output.fields([
    ['source', server === undefined ? SOURCES[source] : plainWords(server)],
    ['read', readAt === undefined ? undefined : ago(readAt, now)],
    ['version', version === undefined ? undefined : plainWords(version)],
    ['classes', String(classes.size)],
  ])
  output.line()
  output.table(
    ['PACKAGE', 'CLASSES', 'NAMES'],
    packages.map(({ name, kind, classes: names }) => [
      plainWords(name),
      String(names.length),
      kind === 'custom' ? plainWords(names.join(', ')) : '',
    ]),
  )
}
