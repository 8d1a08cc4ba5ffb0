import type { StateCreator } from 'zustand/vanilla'

/** Which classes of nodes this window had read anew: how often, by endpoint. Whoever keeps those of before drops them. */
export type NodeTypesSlice = {
  readonly nodeTypesRead: Readonly<Record<string, number>>
  readonly noteNodeTypes: (endpointId: string) => void
}

/** The slice. */
export const createNodeTypesSlice: StateCreator<NodeTypesSlice> = (set, get) => ({
  nodeTypesRead: {},
  noteNodeTypes(endpointId) {
    const { nodeTypesRead } = get()
    set({ nodeTypesRead: { ...nodeTypesRead, [endpointId]: (nodeTypesRead[endpointId] ?? 0) + 1 } })
  },
})
