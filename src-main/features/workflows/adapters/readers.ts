import { createHash } from 'node:crypto'
import { limit } from '../../../contract/limits.ts'
import { strictJson } from '../../../lib/json/parse.ts'
import { jsonText } from '../../../lib/json/text.ts'
import { writeJson } from '../../../lib/json/value.ts'
import { bufferOf, jsonBytes, ownBytes } from '../../../lib/node/own-bytes.ts'
import { sizeText } from '../../../lib/text.ts'
import type { WorkflowReaders } from '../ports/readers.ts'
import { readClassesFile, typesIn } from '../rules/classes-file.ts'
import { classesAndModels, mergeClasses } from '../rules/merge-classes.ts'
import { withoutAccountKeys } from '../rules/runs/account-keys.ts'
import { findPreviews, findResults, isBase64 } from '../rules/runs/find-results.ts'
import { readGraphExport } from '../rules/runs/graph-export.ts'
import { modelNamesIn } from '../rules/runs/graph-models.ts'
import { libraryText } from '../rules/runs/library-text.ts'
import { publishProblem } from '../rules/runs/publish-problem.ts'
import { runGraph } from '../rules/runs/run-graph.ts'
import { filledGraph, graphInInput } from '../rules/runs/sent-graph.ts'
import { withGraph } from './graph-in-png.ts'
import { lastTypes } from './last-types.ts'

export const WORKFLOW_READERS: WorkflowReaders = {
  graphInInput: (input, installed) => graphInInput(jsonText(input), installed),
  accountKeys: (input) => ({ withoutKeys: withoutAccountKeys(jsonText(input)) }),
  filledGraph: (given, graph, installed) => filledGraph(jsonText(given), graph, installed),
  runGraph: (text, asked, types) => runGraph(text, asked, lastTypes(types)),
  publishProblem,
  libraryText(text, types) {
    const read = libraryText(text, types === undefined ? undefined : typesIn(types))
    return 'text' in read ? { ...read, text: jsonBytes(read.text) } : read
  },
  classes(text) {
    const read = readClassesFile(text)
    if (typeof read === 'string') return { problem: read }
    const { version, classes } = read
    return { version, text: version === undefined ? undefined : writeJson(classes) }
  },
  serverClasses(texts, kept) {
    const read = texts.map(readClassesFile)
    const all = [...read, ...(kept === undefined ? [] : [readClassesFile(kept)])]
    const merged = mergeClasses(all.flatMap((one) => (typeof one === 'string' ? [] : [one.classes])))
    const servers = read.map((one) => (typeof one === 'string' ? { problem: one } : classesAndModels(one.classes)))
    return { text: writeJson(merged), servers }
  },
  classNamed(text, name) {
    const read = readClassesFile(text)
    if (typeof read === 'string') return { problem: read }
    const found = read.classes.get(name)
    return { json: writeJson(new Map(found === undefined ? [] : [[name, found]])) }
  },
  classTexts(text) {
    const read = readClassesFile(text)
    if (typeof read === 'string') return { problem: read }
    return { texts: [...read.classes].map(([name, type]) => [name, writeJson(type)] as const) }
  },
  modelNames: (graph) => modelNamesIn(JSON.parse(strictJson(graph))),
  graphExport(file) {
    const opened = readGraphExport(bufferOf(file).toString())
    if ('why' in opened) return { problem: opened.why }
    const files = opened.files.map(({ base64, ...one }) => ({ ...one, data: ownBytes(Buffer.from(base64, 'base64')) }))
    const damaged = files.find(({ data, sha256 }) => createHash('sha256').update(data).digest('hex') !== sha256)
    return damaged === undefined ? { ...opened, files } : { problem: `its file ${damaged.name} is damaged` }
  },
  results(json) {
    const output: unknown = JSON.parse(jsonText(json))
    return { ...findResults(output), previews: findPreviews(output) }
  },
  resultFile(content, made) {
    if (content.kind === 'address') return { problem: 'it is an address' }
    if (content.kind === 'base64' && !isBase64(content.data))
      return { problem: 'its data is not base64, or is incomplete' }
    const bytes = ownBytes(content.kind === 'text' ? Buffer.from(content.text) : Buffer.from(content.data, 'base64'))
    if (bytes.length > limit('assetBytes'))
      return { problem: `it has ${sizeText(bytes.length)}, and the limit is ${sizeText(limit('assetBytes'))}` }
    return made === undefined ? bytes : withGraph(bytes, made)
  },
}
