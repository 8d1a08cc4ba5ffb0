import { Unplug } from 'lucide-react'
import { useAppState } from '../store/app-context.ts'
import { Typed } from '../ui/Typed.tsx'
import { RelativeTime } from '../ui/Values.tsx'

/** Says that the service does not answer, and that what is shown is of then. It lies over the page, which does not move. */
export function ConnectionBanner() {
  const lost = useAppState((state) => state.connection === 'lost')
  const since = useAppState((state) => state.connectionSince)
  if (!lost) return null
  return (
    <div
      role="alert"
      className="enters absolute inset-x-0 bottom-0 z-20 flex items-center gap-2 bg-warn-soft px-4 py-1.5 text-warn-ink"
    >
      <Unplug aria-hidden className="size-4 shrink-0" />
      <p>
        The service stopped answering <RelativeTime at={since} />. What you see is of then. It is asked again by itself;
        if it was stopped, start it with <Typed command="drydock start" />.
      </p>
    </div>
  )
}
