import { z } from 'zod'
import type { ResponseOf } from '../../app/client/calls.ts'
import type { ServiceClient } from '../../app/client/service-client.ts'
import { type Picture, readingTool, type Tool, tool } from '../../app/mcp/tool.ts'
import { endpointId, rows, when } from '../../app/mcp/tools/shared.ts'
import { limit } from '../../contract/limits.ts'
import { workflowCreate, workflowId } from '../../contract/workflows.ts'
import { asText } from '../../lib/json/plain.ts'
import { isObject, type JsonObject, writeJson } from '../../lib/json/value.ts'
import { durationText, sizeText } from '../../lib/text.ts'
import { writeDocument } from './rules/document/document.ts'
import { packagesByClass } from './rules/node-packages.ts'
import { typesHere } from './rules/node-types.ts'
import { type Problem, unknownClasses, withPackages } from './rules/problem.ts'
import { describeDocument, missingModel, type ReadGraph, readGraphText, toRun, typesOf } from './tools/graph.ts'
import { editDocument, graphEdit } from './tools/graph-edits.ts'

const graph = {
  workflowId: workflowId.optional().describe('a workflow of the library'),
  text: z.string().max(limit('mcpBodyBytes')).optional().describe('or a graph as JSON, of either form'),
}
const onEndpoint = endpointId.describe('endpoint whose node classes count; without it those that come along')
const runId = z.string().max(100).describe('id of the run, which is that of its job')

export const WORKFLOW_TOOLS: readonly Tool[] = [
  readingTool({
    name: 'workflow_list',
    title: 'List workflows',
    description: 'The workflows of the library, last changed first.',
    input: { rows: rows(50) },
    async run({ rows: count }, { client }) {
      const { workflows } = await client.call('workflowList')
      const shown = workflows.slice(0, count).map(({ id, name, version, draft, nodes, updatedAt }) => ({
        ...{ id, name, version, nodes },
        hasDraft: draft > 0,
        updatedAt: when(updatedAt),
      }))
      return {
        data: { workflows: shown },
        more: workflows.length > count ? `There are ${workflows.length}; ask for more rows.` : undefined,
      }
    },
  }),
  readingTool({
    name: 'workflow_read',
    title: 'Read a workflow',
    description:
      'The nodes of a workflow with their ids, classes, values and links, as edits name them; with as=json its whole text.',
    input: { workflowId, endpointId: onEndpoint.optional(), as: z.enum(['nodes', 'json']).default('nodes') },
    rest: 'Its resource drydock://workflows/ID has the whole text.',
    async run({ workflowId: id, endpointId: endpoint, as }, { client }) {
      const workflow = await client.call('workflowRead', { path: { workflowId: id } })
      const { name, version, draft } = workflow
      const head = { id, name, version, draft }
      if (as === 'json') return { data: { ...head, text: workflow.text } }
      const types = await typesOf(client, endpoint)
      return { data: { ...head, nodes: describeDocument(readGraphText(workflow.text), types) } }
    },
  }),
  readingTool({
    name: 'workflow_classes',
    title: 'Find node classes',
    description: 'Node classes whose name contains a text, with their inputs, outputs and choices.',
    input: { text: z.string().min(1).max(200), endpointId: onEndpoint.optional(), rows: rows(10) },
    rest: 'Search for a longer text.',
    async run({ text, endpointId: endpoint, rows: count }, { client }) {
      const types = typesHere(await typesOf(client, endpoint))
      const word = text.toLowerCase()
      const found = [...types.values()].filter(({ name, displayName }) =>
        `${name} ${displayName}`.toLowerCase().includes(word),
      )
      return {
        data: {
          classes: found.slice(0, count).map(({ name, displayName, inputs, outputs, isOutput }) => ({
            ...{ name, displayName, isOutput },
            inputs: inputs.map((input) => ({
              ...{ name: input.name, type: input.type, required: input.isRequired },
              choices: input.choices?.slice(0, SHOWN_CHOICES),
            })),
            outputs: outputs.map((output) => `${output.name}: ${output.type}`),
          })),
        },
        more: found.length > count ? `There are ${found.length}; search for a longer text.` : undefined,
      }
    },
  }),
  readingTool({
    name: 'workflow_validate',
    title: 'Check a workflow',
    description:
      'Finds problems of a graph before it runs: cycles, missing inputs, values and models that an endpoint does not have, classes that are not installed with the package that has them. Nothing is queued.',
    input: { ...graph, endpointId: onEndpoint.optional() },
    async run({ endpointId: endpoint, ...given }, { client, now }) {
      const types = await typesOf(client, endpoint)
      const { payload, problems } = toRun(await readGiven(client, given), types, now())
      const named = await withNamedPackages(client, problems, payload)
      const model = endpoint === undefined ? undefined : await missingModel(client, endpoint, payload)
      const says = [...(model === undefined ? [] : [model]), ...named.map(problemText)]
      return { data: { says: says.length === 0 ? ['No problem was found.'] : says, problems: named } }
    },
  }),
  tool({
    name: 'workflow_create',
    title: 'Add a workflow',
    description: 'Adds a graph to the library: a document as JSON, or a built-in template.',
    input: {
      name: workflowCreate.shape.name,
      text: z.string().max(limit('mcpBodyBytes')).optional().describe('JSON of either form'),
      template: z.string().max(100).optional().describe('id of a template, like text-to-picture'),
    },
    role: 'deploy',
    effect: 'writes',
    async run({ name, text, template }, { client }) {
      const found = template === undefined ? text : await templateText(client, template)
      if (found === undefined) throw new Error('Give a text or a template.')
      const types = await typesOf(client, undefined)
      const document = writeJson(writeDocument(readGraphText(found).document(types)))
      return { data: await client.call('workflowCreate', { body: { name, text: document } }) }
    },
  }),
  tool({
    name: 'workflow_edit',
    title: 'Edit a workflow',
    description:
      'Edits a workflow of the library by operations, one after the other: add, set, connect, disconnect, remove, title, move, mode, note. All are made or none. The result is a draft that the person sees in the editor, or with save a version. Returns the problems of the edited graph.',
    input: {
      workflowId,
      edits: z.array(graphEdit).min(1).max(limit('mcpEdits')),
      endpointId: onEndpoint.optional(),
      save: z.boolean().default(false),
    },
    role: 'deploy',
    effect: 'writes',
    async run({ workflowId: id, edits, endpointId: endpoint, save }, { client, now }) {
      const path = { workflowId: id }
      const [{ text, version, draft }, types] = await Promise.all([
        client.call('workflowRead', { path }),
        typesOf(client, endpoint),
      ])
      const { document, added } = editDocument(readGraphText(text).document(types), edits, types)
      const changed = writeJson(writeDocument(document))
      const body = { text: changed, seen: { version, draft } }
      const stored = await client.call(save ? 'workflowSave' : 'workflowDraft', { path, body })
      const { payload, problems } = toRun(readGraphText(changed), types, now())
      return {
        data: {
          ...{ id, version: stored.version, draft: stored.draft, nodes: stored.nodes, added },
          problems: await withNamedPackages(client, problems, payload),
        },
      }
    },
  }),
  tool({
    name: 'workflow_run',
    title: 'Run a workflow',
    description:
      'Queues a graph on an endpoint that takes workflows, and gives the id of the run; wait for it with job_wait and see it with run_picture. A graph with an error is not queued.',
    input: { ...graph, endpointId, title: z.string().max(200).optional() },
    role: 'run',
    effect: 'writes',
    async run({ endpointId: endpoint, title, ...given }, { client, now }) {
      const types = await typesOf(client, endpoint)
      const read = await readGiven(client, given)
      const { payload, document, problems } = toRun(read, types, now())
      const named = await withNamedPackages(client, problems, payload)
      const errors = named.filter(({ severity }) => severity === 'error')
      if (errors.length > 0)
        throw new Error(
          `Nothing was queued. ${errors.map(({ message, node }) => `Node ${node ?? '?'}: ${message}`).join(' ')}`,
        )
      const body = {
        ...{ endpointId: endpoint, payload: writeJson(payload), title: title ?? 'By an agent' },
        ...(document === undefined ? {} : { document: writeJson(writeDocument(document)) }),
        ...(given.workflowId === undefined ? {} : { workflowId: given.workflowId }),
      }
      const run = await client.call('runCreate', { body })
      return { data: { runId: run.id, status: run.status, warnings: named.map(problemText) } }
    },
  }),
  readingTool({
    name: 'run_list',
    title: 'List runs of workflows',
    description: 'The runs of graphs, newest first, with their results.',
    input: { workflowId: workflowId.optional(), endpointId: endpointId.optional(), rows: rows(20) },
    async run({ workflowId: workflow, endpointId: endpoint, rows: count }, { client }) {
      const { runs } = await client.call('runList', { query: { workflow, endpoint, limit: count } })
      return { data: { runs: runs.map(runRow) } }
    },
  }),
  readingTool({
    name: 'run_picture',
    title: 'See the picture of a run',
    description: 'The pictures that a run of a graph gave, to look at, and why it failed where it did.',
    input: { runId, result: z.number().int().min(0).default(0).describe('which of its results, from 0') },
    async run({ runId: id, result: index }, { client }) {
      const { payload: _payload, document: _document, ...run } = await client.call('runRead', { path: { runId: id } })
      const all = [...run.results, ...(run.previews ?? [])]
      const wanted = all[index]
      const data = runRow(run)
      if (wanted === undefined) {
        const more = all.length === 0 ? `It has no result${run.endedAt === undefined ? ' yet' : ''}.` : undefined
        return { data, more: more ?? `It has ${all.length} results, from 0 on.` }
      }
      const isPicture = /^image\/(png|jpeg|webp|gif)$/.test(wanted.mediaType)
      if (!isPicture) return { data, more: `${wanted.filename} is ${wanted.mediaType}, which cannot be shown here.` }
      const bytes = await client.bytes('assetRead', { path: { asset: wanted.asset } })
      if (bytes.length > limit('mcpPictureBytes'))
        return {
          data,
          more: `${wanted.filename} has ${sizeText(bytes.length)}; ${sizeText(limit('mcpPictureBytes'))} can be shown.`,
        }
      const picture: Picture = { base64: Buffer.from(bytes).toString('base64'), mediaType: wanted.mediaType }
      const more = all.length === 1 ? undefined : `This is result ${index} of ${all.length}.`
      return { data, pictures: [picture], more }
    },
  }),
]

const SHOWN_CHOICES = 20

type Given = { readonly workflowId?: string | undefined; readonly text?: string | undefined }

async function readGiven(client: ServiceClient, { workflowId: id, text }: Given): Promise<ReadGraph> {
  if ((id === undefined) === (text === undefined)) throw new Error('Give either a workflowId or a text.')
  if (text !== undefined) return readGraphText(text)
  return readGraphText((await client.call('workflowRead', { path: { workflowId: id ?? '' } })).text)
}

async function templateText(client: ServiceClient, id: string): Promise<string> {
  const { templates } = await client.call('workflowTemplates')
  const found = templates.find((one) => one.id === id)
  if (found !== undefined) return found.text
  throw new Error(`There is no template ${id}. There are ${templates.map((one) => one.id).join(', ')}.`)
}

async function withNamedPackages(client: ServiceClient, problems: readonly Problem[], payload: JsonObject) {
  const classOf = (id: string) => {
    const node = payload.get(id)
    return isObject(node) ? asText(node.get('class_type')) : undefined
  }
  const classes = unknownClasses(problems, classOf)
  if (classes.length === 0) return problems
  const found = await client.call('nodePackages', { body: { classes: [...classes] } })
  return withPackages(problems, classOf, packagesByClass(found))
}

const problemText = ({ node, message }: Problem): string =>
  node === undefined || message.includes(node) ? message : `Node ${node}: ${message}`

type Run = ResponseOf<'runList'>['runs'][number]

function runRow({ id, endpointId: endpoint, title, label, status, createdAt, executionMs, results, errors }: Run) {
  return {
    ...{ id, endpoint, title, label, status, errors },
    createdAt: when(createdAt),
    took: executionMs === undefined ? undefined : durationText(executionMs),
    results: results.map(({ filename, mediaType, node, width, height }) => ({
      filename,
      mediaType,
      node,
      width,
      height,
    })),
  }
}
