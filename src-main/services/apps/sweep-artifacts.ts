import type { Clock, Storage } from '../ports.ts'

/** Deletes artifacts that no release has, and unpacked ones that no endpoint runs from. */
export async function sweepArtifacts({
  storage,
  clock,
}: {
  readonly storage: Storage
  readonly clock: Pick<Clock, 'now'>
}): Promise<void> {
  const running = storage.endpoints.all().flatMap(({ config: { app } }) => app?.code ?? [])
  const preparing = storage.apps.preparing().flatMap(({ artifact }) => artifact ?? [])
  const unpacked = new Set([...running, ...preparing])
  await storage.artifacts.sweep({ artifacts: storage.apps.artifacts(), unpacked }, clock.now())
}
