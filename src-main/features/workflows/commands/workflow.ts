import { Option } from 'commander'
import type { CliCommand } from '../../../app/cli/cli-command.ts'
import type { Output } from '../../../app/cli/output.ts'
import { globalOptions, outputOf } from '../../../app/cli/session.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'
import { sizeText } from '../../../lib/text.ts'
import { addWorkflowDeploy } from '../../apps/commands/deploy/deploy-image.ts'
import { addWorkflowImage } from '../../worker-images/commands/image.ts'
import { addWorkflowLock } from '../../worker-images/commands/lock.ts'
import { packagesText } from '../rules/node-packages.ts'
import { addWorkflowClasses } from './classes.ts'
import { addWorkflowExport } from './export.ts'
import type { GraphFacts } from './graph/graph-facts.ts'
import { type Exposed, readExposed } from './graph/set-values.ts'
import { addWorkflowRun } from './run.ts'
import { addWorkflowSweep, addWorkflowSweeps } from './sweep.ts'

export function addWorkflow(workflow: CliCommand, surroundings: Surroundings): void {
  addWorkflowRun(workflow, surroundings)

  workflow
    .command('validate')
    .description('check a graph, and report problems by node and input')
    .argument('<file>', 'workflow as JSON, a picture that holds a graph, or - for standard input')
    .option('--endpoint <endpoint>', 'check against the node classes of this endpoint')
    .details(`
Needs a service only with --endpoint. The exit code is 1 if the graph has errors; warnings do not stop it from running. An
unknown class is shown with its package, if the graph or an index of packages names it. The index is the file
extension-node-map.json of ComfyUI-Manager, as node-packages.json in the data folder.

Examples:
  $ drydock workflow validate cat.json
  $ drydock workflow validate cat.png --endpoint sketch
  $ cat payload.json | drydock workflow validate - --json`)
    .action(async (file: string, { endpoint }: { endpoint?: string }, command: CliCommand) => {
      const output = outputOf(command, surroundings)
      const { checkedPayload, namePackages } = await import('./graph/graph-facts.ts')
      const { chooseClasses } = await import('./graph/read-classes.ts')
      const { readGraphFile } = await import('./graph/read-graph-file.ts')
      const { refuseErrors, showProblems } = await import('./graph/check-graph.ts')
      const graph = await readGraphFile(file, surroundings)
      const { types, index } = await chooseClasses(endpoint, command, surroundings)
      const { payload, problems: found } = checkedPayload(graph, types, surroundings.now())
      const problems = await namePackages(found, payload, { graph, index, output })
      const isValid = problems.every(({ severity }) => severity === 'warning')
      if (output.json) output.document({ file, form: graph.form, nodes: payload.size, valid: isValid, problems })
      else {
        showProblems(output, problems)
        if (isValid) output.line(`${graph.name} is valid: ${payload.size} nodes would run.`)
      }
      refuseErrors(graph.name, problems)
    })

  workflow
    .command('convert')
    .description('convert a graph between the editor form and the API form')
    .argument('<file>', 'workflow as JSON, a picture that holds a graph, or - for standard input')
    .addOption(
      new Option('--to <form>', 'api: what workers take; ui: what editors open')
        .choices(['api', 'ui'])
        .makeOptionMandatory(),
    )
    .option('-o, --output <file>', 'write to this file instead of standard output')
    .option('--endpoint <endpoint>', 'use the node classes of this endpoint')
    .details(`
Needs a service only with --endpoint. A graph that already has the form is read and written again. What cannot be converted
is reported on standard error, and the exit code is 1 if the result would not run.

Examples:
  $ drydock workflow convert cat.json --to api -o payload.json
  $ drydock workflow convert payload.json --to ui
  $ drydock workflow convert cat.png --to api | drydock workflow run - --endpoint sketch`)
    .action(async (file: string, options: ConvertOptions, command: CliCommand) => {
      const output = outputOf(command, surroundings)
      const { chooseClasses } = await import('./graph/read-classes.ts')
      const { convertGraph, readGraphFile } = await import('./graph/read-graph-file.ts')
      const { namePackages } = await import('./graph/graph-facts.ts')
      const { noteProblems, refuseErrors } = await import('./graph/check-graph.ts')
      const { writeText } = await import('./graph/save-results.ts')
      const graph = await readGraphFile(file, surroundings)
      const { types, index } = await chooseClasses(options.endpoint, command, surroundings)
      const converted = convertGraph(graph, options.to, types, {
        now: surroundings.now(),
        isCompact: output.json && options.output === undefined,
      })
      const { text, nodes, raw } = converted
      const problems = await namePackages(converted.problems, raw, { graph, index, output })
      noteProblems(output, problems)
      if (options.output === undefined) output.line(text)
      else {
        await writeText(options.output, `${text}\n`, surroundings)
        output.result({ file: options.output, form: options.to, nodes, problems }, `${options.output}: ${nodes} nodes`)
      }
      refuseErrors(graph.name, problems)
    })

  workflow
    .command('info')
    .description('show what a graph contains: nodes, models, pictures, seeds')
    .argument('<file>', 'workflow as JSON, a picture that holds a graph, or - for standard input')
    .details('\nNeeds no service.')
    .examples('drydock workflow info cat.png', 'drydock workflow info cat.json --json')
    .action(async (file: string, _options: object, command: CliCommand) => {
      const output = outputOf(command, surroundings)
      const { graphFacts, indexOfFolder, withPackagesOf } = await import('./graph/graph-facts.ts')
      const { readOwnClasses } = await import('./graph/read-classes.ts')
      const { readGraphFile } = await import('./graph/read-graph-file.ts')
      const graph = await readGraphFile(file, surroundings)
      const known = graphFacts(graph, await readOwnClasses(), surroundings.now())
      const { data } = globalOptions(command)
      const facts = await withPackagesOf(known, { graph, index: indexOfFolder(data, surroundings), output })
      const { bytes, mediaType } = graph
      output.result({ file, bytes, mediaType, ...facts }, () =>
        show(output, `${graph.name} (${mediaType}, ${sizeText(bytes)})`, facts),
      )
    })

  addWorkflowClasses(workflow, surroundings)

  workflow
    .command('publish')
    .description('publish a graph as an endpoint, with some of its inputs as parameters')
    .argument('<file>', 'workflow as JSON, a picture that holds a graph, or - for standard input')
    .requiredOption('--endpoint <endpoint>', 'id of the endpoint whose workers run it')
    .option(
      '--expose <node.input[=name]>',
      'let clients set this input, under its own name or another; may be repeated',
      (text: string, before: readonly Exposed[] | undefined) => [...(before ?? []), readExposed(text)],
    )
    .option(
      '--result <node>',
      'return only the results of this node; may be repeated',
      (text: string, before: readonly string[] | undefined) => [...(before ?? []), text],
    )
    .option('--name <name>', 'its name (default: that of the file)')
    .option('--id <id>', 'its id; the id of a published graph makes this its next version')
    .details(`
Types, ranges, choices and defaults of parameters come from the node classes. With the id of a published graph, this becomes
its next version; earlier versions are stored, and its page can activate them again.

Examples:
  $ drydock workflow publish lamp.json --endpoint sketch --expose 6.text=prompt --expose 3.seed
  $ drydock runsync lamp '{"prompt": "a paper lantern", "seed": 3}'`)
    .onSession(async ({ client, output }, file: string, options: PublishOptions) => {
      const { publishFile } = await import('./graph/publish-file.ts')
      const { expose = [], result = [], endpoint, name, id } = options
      const graph = await publishFile(
        { client, output, surroundings },
        { file, behind: endpoint, exposed: expose, results: result, name, id },
      )
      if (output.json) output.document(graph)
      else {
        output.line(`Version ${graph.version} of ${graph.id} answers at ${graph.url}`)
        for (const { name: parameter, type, default: given } of graph.parameters)
          output.line(`  ${parameter}: ${type}${given === undefined ? '' : `, default ${given}`}`)
      }
    })

  addWorkflowDeploy(workflow, surroundings)
  addWorkflowLock(workflow, surroundings)
  addWorkflowExport(workflow, surroundings)
  addWorkflowSweep(workflow, surroundings)
  addWorkflowSweeps(workflow, surroundings)
  addWorkflowImage(workflow, surroundings)
}

type ConvertOptions = { readonly to: 'api' | 'ui'; readonly output?: string; readonly endpoint?: string }

const FORMS = { document: 'document, as editors save it', payload: 'payload, as workers take it' }

function show(output: Output, file: string, facts: GraphFacts): void {
  const unknown = facts.classes.filter(({ known }) => !known)
  const lines = (items: readonly string[]) => (items.length === 0 ? undefined : items.join('\n'))
  output.fields([
    ['file', file],
    ['form', FORMS[facts.form] + (facts.version === undefined ? '' : `, version ${facts.version}`)],
    ['nodes', facts.nodes === facts.runs ? String(facts.nodes) : `${facts.nodes}, of which ${facts.runs} run`],
    ['links', facts.form === 'payload' ? undefined : String(facts.links)],
    ['groups', facts.groups === 0 ? undefined : String(facts.groups)],
    ['subgraphs', facts.subgraphs === 0 ? undefined : String(facts.subgraphs)],
    ['classes', lines(facts.classes.map(({ name, count }) => (count === 1 ? name : `${name}, ${count} times`)))],
    [
      'not known here',
      lines(unknown.map(({ name, packages = [] }) => `${name}. ${packagesText(packages)}`.replace(/\. $/, ''))),
    ],
    ['models', lines(facts.models.map(({ node, input, name }) => `${name} (${node}.${input})`))],
    ['pictures', lines(facts.files.map(({ node, input, name }) => `${name} (${node}.${input})`))],
    ['seeds', lines(facts.seeds.map(({ node, input, value }) => `${value} (${node}.${input})`))],
    ['results of', facts.outputs.length === 0 ? 'no node' : `node ${facts.outputs.join(', ')}`],
  ])
}

type PublishOptions = {
  readonly endpoint: string
  readonly expose?: readonly Exposed[]
  readonly result?: readonly string[]
  readonly name?: string
  readonly id?: string
}
