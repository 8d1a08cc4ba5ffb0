type Settings = Readonly<Record<string, unknown>>

const partOf = (settings: Settings) => (settings.workflows ?? {}) as { readonly server?: unknown }

/** The ComfyUI server that an entry of the catalog passes graphs to; undefined: it runs them itself, or takes none. */
export function serverOfEntry(settings: Settings): string | undefined {
  const { server } = partOf(settings)
  return typeof server === 'string' ? server : undefined
}

/** The settings of an entry with another server. */
export function withServer(settings: Settings, server: string): Settings {
  return { ...settings, workflows: { ...partOf(settings), server } }
}
