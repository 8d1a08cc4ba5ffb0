import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import { CliError, unwritable } from '../../../app/cli/cli-error.ts'
import type { Output } from '../../../app/cli/output.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import type { GraphOpened } from '../../../contract/workflows.ts'
import { writeJson } from '../../../lib/json/value.ts'
import { noteMasked } from '../../jobs/commands/job.ts'

type ExportOptions = { readonly output: string; readonly endpoint?: string; readonly run?: true }

export function addWorkflowExport(parent: CliCommand, surroundings: Surroundings): void {
  parent
    .command('export')
    .description('write a graph, or one of its runs, to one file with everything it needs')
    .argument('<graph>', 'workflow as JSON, a picture that holds a graph, or with --run the id of a run')
    .requiredOption('-o, --output <file>', 'write to this file')
    .option('--endpoint <endpoint>', 'use the node classes of this endpoint')
    .option('--run', 'export this run, with its exact seeds and values and its results')
    .details(`
The file has the graph, the files that its nodes load, names and SHA-256 of its models, and its node classes with their
packages. Models themselves are not in it. Secrets in the graph are replaced by ***, and counted.

Examples:
  $ drydock workflow export cat.json -o cat.graph.jsonl --endpoint sketch
  $ drydock workflow export --run ID -o run.graph.jsonl`)
    .onSession(async ({ client, output }, graph: string, options: ExportOptions) => {
      const pieces =
        options.run === true
          ? client.download('runFile', { path: { runId: graph } })
          : client.download('graphExport', { body: await fromFile(graph, options.endpoint) })
      const to = resolve(surroundings.cwd, options.output)
      let text = ''
      for await (const piece of pieces) text += piece
      await writeFile(to, text).catch((error: Error) => {
        throw unwritable(to, error)
      })
      const { readGraphExport } = await import('../rules/runs/graph-export.ts')
      const written = readGraphExport(text)
      if ('why' in written) throw new CliError('FILE_INVALID', { file: to, why: written.why })
      const { models, files, masked } = written.head
      noteMasked(output, masked)
      const lacking = [
        ...models.flatMap(({ name, missing }) => (missing ? [`the model ${name}`] : [])),
        ...files.flatMap(({ name, left }) => (left === undefined ? [] : [`the file ${name}`])),
      ]
      if (lacking.length > 0) output.note(`Not on this machine, or too large: ${lacking.join(', ')}.`)
      output.result({ file: to, ...written.head }, `${written.head.name} written to ${to}`)
    })

  parent
    .command('open')
    .description('open an exported file: add its graph to the library, and list what is missing here')
    .argument('<file>', 'file that `drydock workflow export` wrote')
    .option('--endpoint <endpoint>', 'compare with the node classes of this endpoint')
    .examples('drydock workflow open cat.graph.jsonl --endpoint sketch')
    .onSession(async ({ client, output }, file: string, { endpoint }: { readonly endpoint?: string }) => {
      const { readExportFile } = await import('./graph/read-graph-file.ts')
      const bytes = await readExportFile(resolve(surroundings.cwd, file))
      const query = endpoint === undefined ? {} : { endpoint }
      const opened = await client.call('graphOpen', { query, bytes })
      noteMasked(output, opened.masked)
      output.result(opened, () => show(output, opened))
    })

  async function fromFile(file: string, endpoint: string | undefined) {
    const { readGraphFile, titleOf } = await import('./graph/read-graph-file.ts')
    const graph = await readGraphFile(file, surroundings)
    const named = endpoint === undefined ? {} : { endpoint }
    return { name: titleOf(graph), text: writeJson(graph.raw), ...named }
  }
}

function show(output: Output, { workflow, missing, files }: GraphOpened): void {
  output.line(`${workflow.name} is in the library as ${workflow.id}`)
  for (const { name, storedAs = name } of files)
    if (storedAs !== name) output.line(`the file ${name} is stored as ${storedAs}, which the graph names now`)
  for (const { name, directory, sha256, missing: isGone } of missing.models) {
    const where = directory === undefined ? '' : ` in ${directory}`
    const hash = sha256 === undefined ? '' : `, SHA-256 ${sha256}`
    output.line(`${isGone ? 'missing model' : 'another model named'} ${name}${where}${hash}`)
  }
  for (const { name, packages } of missing.classes)
    output.line([`missing class ${name}`, ...packages.map(packageText)].join(', '))
  for (const name of missing.files) output.line(`missing file ${name}`)
}

const packageText = ({ name, version, address }: GraphOpened['missing']['classes'][number]['packages'][number]) =>
  ['package', name, version, address].filter((part) => part !== undefined).join(' ')
