import type { Command } from 'commander'
import { globalOptions, openSession, outputOf } from '../../session.ts'
import type { Surroundings } from '../../surroundings.ts'

/** `drydock workflow validate`: say what is wrong with a graph before anybody queues it. */
export function addWorkflowValidate(parent: Command, surroundings: Surroundings): void {
  parent
    .command('validate')
    .description('check a graph, and say at which node and input something is wrong')
    .argument('<file>', 'JSON of either form, a picture that holds a graph, or - for standard input')
    .option('--endpoint <endpoint>', 'check against the classes of nodes of this endpoint')
    .addHelpText(
      'after',
      `
Needs no service, but with --endpoint. The exit code is 1 where the graph is wrong; warnings keep nothing from running. A
class that is not known is told with its package where the graph names it, or an index of packages does: the file
extension-node-map.json of ComfyUI-Manager, as node-packages.json in the data folder.

Examples:
  $ drydock workflow validate cat.json
  $ drydock workflow validate cat.png --endpoint sketch
  $ cat payload.json | drydock workflow validate - --json`,
    )
    .action(async (file: string, { endpoint }: { endpoint?: string }, command: Command) => {
      const output = outputOf(command, surroundings)
      const { checkedPayload } = await import('../../workflow/as-payload.ts')
      const { namePackages } = await import('../../workflow/graph-packages.ts')
      const { readClassesOf, readOwnClasses } = await import('../../workflow/read-classes.ts')
      const { readGraphFile } = await import('../../workflow/read-graph-file.ts')
      const { refuseErrors, showProblems } = await import('../../workflow/show-problems.ts')
      const graph = await readGraphFile(file, surroundings)
      const types =
        endpoint === undefined
          ? await readOwnClasses()
          : await readClassesOf((await openSession(command, surroundings)).client, endpoint)
      const { payload, problems: found } = checkedPayload(graph, types, surroundings.now())
      const { data } = globalOptions(command)
      const problems = await namePackages(found, payload, { graph, data, surroundings, output })
      const isValid = problems.every(({ severity }) => severity === 'warning')
      if (output.json) output.document({ file, form: graph.form, nodes: payload.size, valid: isValid, problems })
      else {
        showProblems(output, problems)
        if (isValid) output.line(`${graph.name} is right: ${payload.size} nodes would run.`)
      }
      refuseErrors(graph.name, problems)
    })
}
