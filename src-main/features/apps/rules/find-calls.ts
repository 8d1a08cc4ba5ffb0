import type { ScannedEndpoint } from '../../../contract/scan.ts'

export type EndpointCall = { readonly from: string; readonly to: string; readonly functions: string[] }

type Scanned = Pick<ScannedEndpoint, 'name' | 'kind' | 'functions' | 'calls' | 'qualname'>

export function findCalls(endpoints: readonly Scanned[]): EndpointCall[] {
  const owners = new Map<string, string>()
  for (const { name, kind, functions, qualname } of endpoints) {
    if (name === null || kind === 'client') continue
    // An image has no functions in the source and is called by its own name.
    if (kind === 'image') owners.set(name, name)
    // Endpoints of an App are called by the decorated name; methods of a class are only routes.
    if (qualname !== undefined) owners.set(qualname, name)
    else for (const found of functions) owners.set(found.name, name)
  }
  return endpoints.flatMap(({ name, calls = [] }) => {
    if (name === null) return []
    const byOwner = new Map<string, string[]>()
    for (const called of calls) {
      const to = owners.get(called)
      if (to === undefined || to === name) continue
      byOwner.set(to, [...(byOwner.get(to) ?? []), called])
    }
    return [...byOwner].map(([to, functions]) => ({ from: name, to, functions }))
  })
}
