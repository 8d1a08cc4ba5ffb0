import type { AppStore } from '../../../store/app-store.ts'
import type { NodeTypesCache } from './node-types-cache.ts'
import type { OpenTabs } from './open-tabs.ts'
import { showNodeTypes } from './show-node-types.ts'

/** What is kept of classes, and where. */
export type RenewPorts = {
  readonly store: AppStore
  readonly types: NodeTypesCache
  readonly tabs: OpenTabs['state']
  readonly tell: (kind: 'done' | 'error', text: string) => void
}

/** From now on, open tabs show the classes of their endpoint as they were read last, by whichever page. */
export function renewNodeTypes({ store, types, tabs, tell }: RenewPorts): void {
  function renew(endpointId: string): void {
    types.forget(endpointId)
    for (const { open } of tabs.getState().tabs) {
      if (open === undefined || open.tab.runs.getState().endpointId !== endpointId) continue
      showNodeTypes(open.tab, { types, tell })
    }
  }
  store.subscribe(({ nodeTypesRead, live }, before) => {
    if (nodeTypesRead !== before.nodeTypesRead)
      for (const [id, count] of Object.entries(nodeTypesRead)) if (count !== before.nodeTypesRead[id]) renew(id)
    if (live.endpoints === before.live.endpoints) return
    // The service reads them by itself, too.
    for (const [id, { nodeTypesReadAt }] of Object.entries(live.endpoints)) {
      const known = before.live.endpoints[id]
      if (known !== undefined && known.nodeTypesReadAt !== nodeTypesReadAt) renew(id)
    }
  })
}
