import type { StateCreator } from 'zustand/vanilla'
import type { ModelPlace } from '../../src-main/contract/models.ts'

/** The models of this machine, as they were last read; none before. */
export type ModelsSlice = {
  readonly modelsHere: readonly ModelPlace[]
  readonly showModels: (models: readonly ModelPlace[]) => void
}

/** The slice. */
export const createModelsSlice: StateCreator<ModelsSlice> = (set, get) => ({
  modelsHere: [],
  showModels(models) {
    const before = get().modelsHere
    // The same models are the same object, so that nothing is checked again for them.
    const isSame =
      before.length === models.length &&
      before.every((one, at) => one.name === models[at]?.name && one.directory === models[at]?.directory)
    if (!isSame) set({ modelsHere: models.map(({ directory, name }) => ({ directory, name })) })
  },
})
