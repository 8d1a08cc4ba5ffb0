import { CliError, usageError } from '../../../../app/cli/cli-error.ts'
import type { Output } from '../../../../app/cli/output.ts'
import type { Surroundings } from '../../../../app/cli/surroundings.ts'
import type { ServiceClient } from '../../../../app/client/service-client.ts'
import { writeJson } from '../../../../lib/json/value.ts'
import { readDocument, writeDocument } from '../../rules/document/document.ts'
import { suggestParameter } from '../../rules/publish/graph-form.ts'
import { evaluateGraph } from './check-graph.ts'
import { checkedPayload } from './graph-facts.ts'
import { readClassesOf } from './read-classes.ts'
import { readGraphFile, titleOf } from './read-graph-file.ts'
import type { Exposed } from './set-values.ts'

type Deps = { readonly client: ServiceClient; readonly output: Output; readonly surroundings: Surroundings }

export type FileToPublish = {
  readonly file: string
  readonly behind: string
  readonly exposed: readonly Exposed[]
  readonly results: readonly string[]
  readonly name: string | undefined
  readonly id: string | undefined
}

export async function publishFile({ client, output, surroundings }: Deps, given: FileToPublish) {
  const graph = await readGraphFile(given.file, surroundings)
  const types = await readClassesOf(client, given.behind)
  const { payload, problems } = checkedPayload(graph, types, surroundings.now())
  await evaluateGraph(graph, { payload, problems }, { client, output })
  const parameters = given.exposed.map((one) => {
    const suggestion = suggestParameter(payload, types, one)
    if ('why' in suggestion) throw usageError(suggestion.why)
    return suggestion.parameter
  })
  const name = given.name ?? titleOf(graph)
  const document = graph.form === 'document' ? writeJson(writeDocument(readDocument(graph.raw))) : undefined
  const { behind, results, id } = given
  const body = { id, name, behind, parameters, results, document, payload: writeJson(payload) }
  return client.call('publishedCreate', { body }).catch(async (error: unknown) => {
    if (!(error instanceof CliError) || error.body.code !== 'ENDPOINT_EXISTS' || id !== undefined) throw error
    const { endpoints } = await client.call('endpointList')
    const published = endpoints.find((one) => one.name === name && one.graph !== undefined)
    if (published === undefined) throw error
    const why = `Graph ${name} is already published. Make this its next version with --id ${published.id}, or give it another name with --name.`
    throw new CliError('SERVICE_REFUSED', { why }, { cause: error })
  })
}
