import { usageError } from '../../../../app/cli/cli-error.ts'
import type { Output } from '../../../../app/cli/output.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../../app/client/service-client.ts'
import type { GraphToRelease } from '../../../../contract/published.ts'
import { writeJson } from '../../../../lib/json/value.ts'
import { checkedPayload } from '../../../workflows/commands/graph/graph-facts.ts'
import { readClassesOf, readOwnClasses } from '../../../workflows/commands/graph/read-classes.ts'
import type { GraphFile } from '../../../workflows/commands/graph/read-graph-file.ts'
import type { Exposed } from '../../../workflows/commands/graph/set-values.ts'
import { readDocument, writeDocument } from '../../../workflows/rules/document/document.ts'
import { formOf } from '../../../workflows/rules/publish/app-form.ts'
import { type GraphForm, parameterOf, suggestParameter } from '../../../workflows/rules/publish/graph-form.ts'

export type GraphOptions = {
  readonly expose?: readonly Exposed[]
  readonly result?: readonly string[]
  readonly endpoint?: string
}

const NO_FORM: GraphForm = { parameters: [], results: [] }

export async function graphToRelease(
  graph: GraphFile,
  { expose = [], result = [], endpoint }: GraphOptions,
  {
    client,
    output,
    surroundings,
  }: { readonly client: ServiceClient; readonly output: Output; readonly surroundings: Surroundings },
): Promise<GraphToRelease> {
  const types = endpoint === undefined ? await readOwnClasses() : await readClassesOf(client, endpoint)
  const { payload } = checkedPayload(graph, types, surroundings.now())
  const document = graph.form === 'document' ? readDocument(graph.raw) : undefined
  const form = document === undefined ? NO_FORM : formOf(document, payload, types)
  const added = expose.filter(({ node, input }) => parameterOf(form, node, input) === undefined)
  const parameters = added.map((one) => {
    const suggestion = suggestParameter(payload, types, one)
    if ('why' in suggestion) throw usageError(suggestion.why)
    return suggestion.parameter
  })
  const all = [...form.parameters, ...parameters]
  if (all.length === 0)
    output.note('No input of the graph is a parameter, so each call draws the same. Add some: --expose NODE.INPUT=NAME')
  return {
    payload: writeJson(payload),
    ...(document === undefined ? {} : { document: writeJson(writeDocument(document)) }),
    parameters: all,
    results: result.length > 0 ? [...result] : [...form.results],
  }
}
