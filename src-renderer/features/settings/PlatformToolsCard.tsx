import { Card } from '../../ui/Card.tsx'
import { CommandLine } from '../../ui/PageStates.tsx'

/** How the platform's own tools are led to this service. The key is in what the command prints, and not on a page. */
export function PlatformToolsCard() {
  return (
    <Card title="Platform tools">
      <div className="flex flex-col gap-3 px-3 py-2.5">
        <p className="text-small text-ink-2">
          The platform's own command line, SDKs and agents work with this service. Run this once in a terminal, or set
          the variables for one command only.
        </p>
        <CommandLine command={'eval "$(drydock platform env)"'} />
        <CommandLine command="drydock platform run -- rp flash deploy" />
      </div>
    </Card>
  )
}
