import { CommandLine } from '../EmptyState.tsx'

/** The key of an endpoint, right after it was made: it is shown this once. */
export function ShownKey({ endpointId, apiKey }: { readonly endpointId: string; readonly apiKey: string }) {
  return (
    <div className="flex flex-col gap-2">
      <p>
        The key of <strong className="font-semibold">{endpointId}</strong>. It opens this endpoint alone, and it is
        shown this once: keep it where your client finds it.
      </p>
      <CommandLine command={apiKey} />
    </div>
  )
}
