import { Command as Cmdk } from 'cmdk'
import { Dialog } from 'radix-ui'
import { useLocation } from 'wouter'
import { ADDRESS } from '../addresses.ts'
import { endpointState } from '../features/endpoints/endpoint-state.ts'
import { useAppState } from '../store/app-context.ts'
import type { Command } from '../store/commands-slice.ts'
import { StateDot, type StateDotProps } from '../ui/StateDot.tsx'
import { KeyCaps } from './KeyCaps.tsx'

const GROUP_LOOK =
  '[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-small [&_[cmdk-group-heading]]:text-ink-2'

/** A command, and how that is to which it leads. */
type OfferedCommand = Command & { readonly state?: StateDotProps }

/** Every action of this page and of all pages, found by typing. */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const offered = useAppState((state) => state.commands)
  const endpoints = useEndpointCommands()
  // A page may offer what is offered everywhere, with a key: the newest of one id stands.
  const commands: readonly OfferedCommand[] = [
    ...new Map([...offered, ...endpoints].map((command) => [command.id, command])).values(),
  ]
  // What the page itself offers stands first.
  const groups = [...new Set(commands.map(({ group }) => group))].sort((one, other) => rankOf(one) - rankOf(other))
  const run = (command: Command) => {
    onClose()
    command.run()
  }
  return (
    <Dialog.Root open onOpenChange={onClose}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-veil" />
        <Dialog.Content
          aria-describedby={undefined}
          className="enters fixed top-[15vh] left-1/2 z-50 w-[calc(100%-2rem)] max-w-xl -translate-x-1/2 overflow-hidden rounded-control border border-line bg-surface-1 shadow-float"
        >
          <Dialog.Title className="sr-only">All actions</Dialog.Title>
          <Cmdk label="All actions" loop filter={holdsAll}>
            <Cmdk.Input
              placeholder="What do you want to do?"
              className="h-11 w-full border-b border-line bg-transparent px-4 outline-none"
            />
            <Cmdk.List className="max-h-[50vh] overflow-y-auto p-1">
              <Cmdk.Empty className="px-3 py-6 text-center text-ink-2">Nothing is called that.</Cmdk.Empty>
              {groups.map((group) => (
                <Cmdk.Group key={group} heading={group} className={GROUP_LOOK}>
                  {commands
                    .filter((command) => command.group === group)
                    .map((command) => (
                      <Cmdk.Item
                        key={command.id}
                        value={`${group} ${command.label} ${command.state?.word ?? ''} ${command.id}`}
                        onSelect={() => run(command)}
                        className="flex h-8 cursor-pointer items-center justify-between gap-4 rounded-control px-2 data-[selected=true]:bg-accent-soft"
                      >
                        <span className="truncate">{command.label}</span>
                        {command.state !== undefined && <StateDot {...command.state} />}
                        {command.keys !== undefined && <KeyCaps keys={command.keys} />}
                      </Cmdk.Item>
                    ))}
                </Cmdk.Group>
              ))}
            </Cmdk.List>
          </Cmdk>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

// Each word as it was typed: letters that are strewn over a name find nearly everything in a long list, and what a page
// offers stands before an endpoint that is called just so.
function holdsAll(value: string, typed: string): number {
  const text = value.toLowerCase()
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
    ? 1
    : 0
}

const EVERYWHERE = ['New', 'Endpoints', 'Go to', 'Window']
const rankOf = (group: string) => EVERYWHERE.indexOf(group)

function useEndpointCommands(): readonly OfferedCommand[] {
  const [, go] = useLocation()
  const endpoints = useAppState(({ live }) => live.endpoints)
  const workers = useAppState(({ live }) => live.workers)
  return Object.values(endpoints).map((endpoint) => {
    const { id, name } = endpoint
    const own = Object.values(workers).filter(({ endpointId }) => endpointId === id)
    return {
      id: `endpoint-${id}`,
      group: 'Endpoints',
      label: name === id ? id : `${name} (${id})`,
      state: endpointState(endpoint, own),
      run: () => go(ADDRESS.endpoint(id)),
    }
  })
}
