import { PackagePlus } from 'lucide-react'
import { environmentFor, missingPackage } from '../../../src-main/features/workers/rules/missing-module.ts'
import { useApp, useAppState } from '../../store/app-context.ts'
import { Button } from '../Button.tsx'
import { useTell } from '../use-tell.ts'

const LOOK_EVERY_MS = 500

export function InstallButton({ error, endpointId }: { readonly error: string; readonly endpointId: string }) {
  const { client, store, platform } = useApp()
  const { attempt } = useTell()
  const endpoint = useAppState(({ live }) => live.endpoints[endpointId])
  const wanted = missingPackage(error)
  if (wanted === undefined || endpoint === undefined) return null
  const environment = environmentFor(endpoint)
  if (environment === undefined) return null
  const isRunning = endpoint.install?.state === 'running'
  const { notify, patchEndpoint } = store.getState()
  const path = { endpointId }

  const install = () =>
    attempt(async () => {
      let { install } = await client.call('endpointInstall', { path, body: { packages: [wanted ?? ''] } })
      while (install?.state === 'running') {
        patchEndpoint(endpointId, { install })
        await new Promise<void>((resolve) => void platform.after(LOOK_EVERY_MS, resolve))
        install = (await client.call('endpointRead', { path })).install
      }
      patchEndpoint(endpointId, { install })
      if (install?.state === 'done') notify({ kind: 'done', text: `${wanted} is installed in ${environment}.` })
      else
        notify({ kind: 'error', text: `${wanted} was not installed: ${install?.why ?? 'the service was restarted'}` })
    })

  return (
    <Button disabled={isRunning} onClick={() => void install()}>
      <PackagePlus aria-hidden /> {isRunning ? `Installing ${wanted}` : `Install ${wanted}`}
    </Button>
  )
}
