import type { WorkflowServer } from '../../../../src-main/contract/workflows.ts'
import { serverOfEntry, withServer } from '../../../../src-main/domain/workflow/server/entry-server.ts'
import { serverInWords } from '../../../../src-main/domain/workflow/server/server-address.ts'
import type { AppServices } from '../../../store/app-context.ts'
import { freeName } from '../../../ui/form/free-name.ts'
import { readNodeTypes } from '../../../ui/servers/read-node-types.ts'

/**
 * Makes a server an endpoint, by the entry of the catalog for the bridge, and has its classes of nodes read.
 * @returns its id, once the endpoint is made and its classes are read, or were tried to be; and whether they are
 * @throws ApiError where the service refuses it
 */
export async function makeServerEndpoint(
  { client, store }: Pick<AppServices, 'client' | 'store'>,
  { address }: Pick<WorkflowServer, 'address'>,
): Promise<{ readonly id: string; readonly isRead: boolean }> {
  const { entries } = await client.call('catalogList')
  const bridge = entries.find(({ settings }) => serverOfEntry(settings) !== undefined)
  if (bridge === undefined) throw new Error('The catalog has no bridge to ComfyUI. Install Drydock again.')
  const id = freeName('comfyui', Object.keys(store.getState().live.endpoints))
  const { tell } = store.getState()
  await client.call('endpointCreate', { body: { ...withServer(bridge.settings, address), id, name: id } })
  const where = `the ComfyUI at ${serverInWords(address)}`
  const fault = await readNodeTypes({ client, store }, id).then(
    () => undefined,
    ({ message }: Error) => message,
  )
  if (fault === undefined)
    tell({ kind: 'done', text: `${id} is an endpoint now: it runs graphs on ${where}, with its classes of nodes.` })
  else
    tell({
      kind: 'error',
      text: `${id} is an endpoint now and runs graphs on ${where}. ${fault} They are read when it answers, or in its settings, in Workflows.`,
    })
  return { id, isRead: fault === undefined }
}

/** Resolves when the pages know of an endpoint, which is some ms after the service has made it. */
export function endpointShown({ getState, subscribe }: AppServices['store'], id: string): Promise<void> {
  const isThere = () => getState().live.endpoints[id] !== undefined
  return new Promise((resolve) => {
    if (isThere()) return resolve()
    const end = subscribe(() => {
      if (!isThere()) return
      end()
      resolve()
    })
  })
}
