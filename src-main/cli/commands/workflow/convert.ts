import { type Command, Option } from 'commander'
import { globalOptions, openSession, outputOf } from '../../session.ts'
import type { Surroundings } from '../../surroundings.ts'

type ConvertOptions = { readonly to: 'api' | 'ui'; readonly output?: string; readonly endpoint?: string }

/** `drydock workflow convert`: from the form of the editor to that of workers, and back. */
export function addWorkflowConvert(parent: Command, surroundings: Surroundings): void {
  parent
    .command('convert')
    .description('convert a graph between the form of editors and that of workers')
    .argument('<file>', 'JSON of either form, a picture that holds a graph, or - for standard input')
    .addOption(
      new Option('--to <form>', 'api: what workers take; ui: what editors open')
        .choices(['api', 'ui'])
        .makeOptionMandatory(),
    )
    .option('-o, --output <file>', 'write to this file instead of standard output')
    .option('--endpoint <endpoint>', 'take the classes of nodes from this endpoint')
    .addHelpText(
      'after',
      `
Needs no service, but with --endpoint. A graph that has the form already is opened and saved. What could not be taken over
is told on standard error, and the exit code is 1 where the result would not run.

Examples:
  $ drydock workflow convert cat.json --to api -o payload.json
  $ drydock workflow convert payload.json --to ui
  $ drydock workflow convert cat.png --to api | drydock workflow run - --endpoint sketch`,
    )
    .action(async (file: string, options: ConvertOptions, command: Command) => {
      const output = outputOf(command, surroundings)
      const { convertGraph } = await import('../../workflow/convert-graph.ts')
      const { namePackages } = await import('../../workflow/graph-packages.ts')
      const { readClassesOf, readOwnClasses } = await import('../../workflow/read-classes.ts')
      const { readGraphFile } = await import('../../workflow/read-graph-file.ts')
      const { noteProblems, refuseErrors } = await import('../../workflow/show-problems.ts')
      const { writeText } = await import('../../workflow/write-text.ts')
      const graph = await readGraphFile(file, surroundings)
      const types =
        options.endpoint === undefined
          ? await readOwnClasses()
          : await readClassesOf((await openSession(command, surroundings)).client, options.endpoint)
      const converted = convertGraph(graph, options.to, types, {
        now: surroundings.now(),
        isCompact: output.json && options.output === undefined,
      })
      const { text, nodes, raw } = converted
      const { data } = globalOptions(command)
      const problems = await namePackages(converted.problems, raw, { graph, data, surroundings, output })
      noteProblems(output, problems)
      if (options.output === undefined) output.line(text)
      else {
        await writeText(options.output, `${text}\n`, surroundings)
        if (output.json) output.document({ file: options.output, form: options.to, nodes, problems })
        else output.line(`${options.output}: ${nodes} nodes`)
      }
      refuseErrors(graph.name, problems)
    })
}
