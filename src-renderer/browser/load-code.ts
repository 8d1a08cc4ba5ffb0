const AGAIN_AFTER_MS = [100, 400, 1000, 2000, 4000]

/** Loads code of the pages again if a file is lost: browsers cancel requests when a network, even a container's, changes. */
export async function loadCode<Code>(load: () => Promise<Code>, pausesMs = AGAIN_AFTER_MS): Promise<Code> {
  for (const pauseMs of pausesMs) {
    try {
      return await load()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }
  return load()
}
