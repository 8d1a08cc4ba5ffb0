import { Option } from 'commander'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import type { Output } from '../../../app/cli/output.ts'
import { openSession, outputOf } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { ago } from '../../../lib/text.ts'
import type { ClassPackage } from '../rules/node-packages.ts'
import type { KnownClasses } from './graph/read-classes.ts'

type ClassesOptions = { readonly server?: string; readonly endpoint?: string; readonly output?: string }

export function addWorkflowClasses(parent: CliCommand, surroundings: Surroundings): void {
  parent
    .command('classes')
    .description('list the known node packages and classes, or read those of a ComfyUI server')
    .addOption(
      new Option('--server <url>', 'read them from this ComfyUI server, like http://127.0.0.1:8188').conflicts(
        'endpoint',
      ),
    )
    .option('--endpoint <endpoint>', 'show those of this endpoint')
    .option('-o, --output <file>', 'write them to this file, without descriptions and names of your files')
    .details(`
Without an option it lists those that come with Drydock. It needs a service only with --endpoint. A file of classes is for
PUT /api/node-types/ENDPOINT, and resources/node-types.json is one.

Examples:
  $ drydock workflow classes
  $ drydock workflow classes --endpoint comfyui
  $ drydock workflow classes --server http://127.0.0.1:8188 -o node-types.json`)
    .action(async (options: ClassesOptions, command: CliCommand) => {
      const output = outputOf(command, surroundings)
      const { factsText, ownClasses, classesOfEndpoint, classesOfServer } = await import('./graph/read-classes.ts')
      const { classPackages } = await import('../rules/node-packages.ts')
      const { readNodeTypes } = await import('../rules/node-types.ts')
      const known =
        options.server !== undefined
          ? await classesOfServer(options.server)
          : options.endpoint === undefined
            ? await ownClasses()
            : await classesOfEndpoint((await openSession(command, surroundings)).client, options.endpoint)
      if (options.output !== undefined) {
        const { writeText } = await import('./graph/save-results.ts')
        await writeText(options.output, factsText(known), surroundings)
      }
      const packages = classPackages(readNodeTypes(known.classes).values())
      const { classes: _classes, ...origin } = known
      if (output.json) output.document({ ...origin, file: options.output, packages })
      else if (options.output !== undefined) output.line(`${options.output}: ${classesText(known)}`)
      else show(output, known, packages, surroundings.now())
    })
}

const classesText = ({ classes, version }: KnownClasses) =>
  `${classes.size} classes${version === undefined ? '' : ` of ${version}`}`

const SOURCES = { 'built-in': 'comes with Drydock', server: 'a ComfyUI server', file: 'a file' }

function show(output: Output, known: KnownClasses, packages: readonly ClassPackage[], now: number): void {
  const { source, server, version, readAt, classes } = known
  output.fields([
    ['source', server ?? SOURCES[source]],
    ['read', readAt === undefined ? undefined : ago(readAt, now)],
    ['version', version],
    ['classes', String(classes.size)],
  ])
  output.line()
  output.table(
    ['PACKAGE', 'CLASSES', 'NAMES'],
    packages.map(({ name, kind, classes: names }) => [
      name,
      String(names.length),
      kind === 'custom' ? names.join(', ') : '',
    ]),
  )
}
