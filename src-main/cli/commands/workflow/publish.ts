import type { Command } from 'commander'
import { plainWords } from '../../plain-words.ts'
import { openSession } from '../../session.ts'
import type { Surroundings } from '../../surroundings.ts'
import { type Exposed, readExposed } from '../../workflow/exposed.ts'

type PublishOptions = {
  readonly endpoint: string
  readonly expose?: readonly Exposed[]
  readonly result?: readonly string[]
  readonly name?: string
  readonly id?: string
}

/** `drydock workflow publish`: make an endpoint of its own of a graph. */
export function addWorkflowPublish(parent: Command, surroundings: Surroundings): void {
  parent
    .command('publish')
    .description('make a graph an endpoint of its own, with some of its inputs as parameters')
    .argument('<file>', 'JSON of either form, a picture that holds a graph, or - for standard input')
    .requiredOption('--endpoint <endpoint>', 'id of the endpoint whose workers do the work')
    .option(
      '--expose <node.input[=name]>',
      'let clients set this input, under its name or another; may be repeated',
      (text: string, before: readonly Exposed[] | undefined) => [...(before ?? []), readExposed(text)],
    )
    .option(
      '--result <node>',
      'answer the results of this node alone; may be repeated',
      (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
    )
    .option('--name <name>', 'its name; without it that of the file')
    .option('--id <id>', 'its id; that of a published graph makes this its next version')
    .addHelpText(
      'after',
      `
Types, ranges, choices and defaults of parameters come from the classes of the nodes. A graph that is published already, by
its id, gets a next version; earlier ones are kept, and its page lets them run again.

Examples:
  $ drydock workflow publish lamp.json --endpoint sketch --expose 6.text=prompt --expose 3.seed
  $ drydock runsync lamp '{"prompt": "a paper lantern", "seed": 3}'`,
    )
    .action(async (file: string, options: PublishOptions, command: Command) => {
      const { client, output } = await openSession(command, surroundings)
      const { publishFile } = await import('../../workflow/publish-file.ts')
      const { expose = [], result = [], endpoint, name, id } = options
      const graph = await publishFile(
        { client, output, surroundings },
        { file, behind: endpoint, exposed: expose, results: result, name, id },
      )
      if (output.json) output.document(graph)
      else {
        output.line(`Version ${graph.version} of ${graph.id} answers at ${graph.url}`)
        for (const { name: parameter, type, default: given } of graph.parameters)
          output.line(plainWords(`  ${parameter}: ${type}${given === undefined ? '' : `, ${given} without it`}`))
      }
    })
}
