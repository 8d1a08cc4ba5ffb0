import type { Command } from 'commander'
import { sizeInWords } from '../../../domain/size-in-words.ts'
import { packagesInWords } from '../../../domain/workflow/packages/node-package.ts'
import type { Output } from '../../output.ts'
import { plainWords } from '../../plain-words.ts'
import { globalOptions, outputOf } from '../../session.ts'
import type { Surroundings } from '../../surroundings.ts'
import type { GraphFacts } from '../../workflow/graph-facts.ts'

/** `drydock workflow info`: what a graph is, needs and gives. */
export function addWorkflowInfo(parent: Command, surroundings: Surroundings): void {
  parent
    .command('info')
    .description('tell what a graph is made of: nodes, models, pictures, seeds')
    .argument('<file>', 'JSON of either form, a picture that holds a graph, or - for standard input')
    .addHelpText(
      'after',
      '\nNeeds no service.\n\nExamples:\n  $ drydock workflow info cat.png\n  $ drydock workflow info cat.json --json',
    )
    .action(async (file: string, _options: object, command: Command) => {
      const output = outputOf(command, surroundings)
      const { graphFacts } = await import('../../workflow/graph-facts.ts')
      const { withPackagesOf } = await import('../../workflow/graph-packages.ts')
      const { readOwnClasses } = await import('../../workflow/read-classes.ts')
      const { readGraphFile } = await import('../../workflow/read-graph-file.ts')
      const graph = await readGraphFile(file, surroundings)
      const known = graphFacts(graph, await readOwnClasses(), surroundings.now())
      const { data } = globalOptions(command)
      const facts = await withPackagesOf(known, { graph, data, surroundings, output })
      const { bytes, mediaType } = graph
      if (output.json) output.document({ file, bytes, mediaType, ...facts })
      else show(output, `${graph.name} (${mediaType}, ${sizeInWords(bytes)})`, facts)
    })
}

const FORMS = { document: 'document, as editors save it', payload: 'payload, as workers take it' }

function show(output: Output, file: string, facts: GraphFacts): void {
  const unknown = facts.classes.filter(({ known }) => !known)
  const lines = (items: readonly string[]) => (items.length === 0 ? undefined : plainWords(items.join('\n')))
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
      lines(unknown.map(({ name, packages = [] }) => `${name}. ${packagesInWords(packages)}`.replace(/\. $/, ''))),
    ],
    ['models', lines(facts.models.map(({ node, input, name }) => `${name} (${node}.${input})`))],
    ['pictures', lines(facts.files.map(({ node, input, name }) => `${name} (${node}.${input})`))],
    ['seeds', lines(facts.seeds.map(({ node, input, value }) => `${value} (${node}.${input})`))],
    ['results of', facts.outputs.length === 0 ? 'no node' : `node ${plainWords(facts.outputs.join(', '))}`],
  ])
}
