import { useAppState } from '../store/app-context.ts'
import { keysOf, type ShownList } from '../store/list-keys.ts'
import { SidePanel } from '../ui/Dialog.tsx'
import { WINDOW_KEYS } from './general-commands.ts'

const ALWAYS = [
  ...WINDOW_KEYS.map(({ label, key, withCtrl }) => [label, withCtrl ? `Ctrl ${key.toUpperCase()}` : key] as const),
  ['Close a dialog or menu', 'Escape'] as const,
]

const rowsOfList = (list: ShownList) =>
  keysOf(list).map(({ label, keys, withCtrl }) => {
    const caps = keys.map((key) => CAPS[key] ?? key)
    return [label, withCtrl ? `Ctrl ${caps[0]?.toUpperCase()}` : caps.join(' ')] as const
  })

const CAPS: Readonly<Record<string, string>> = {
  ' ': 'Space',
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowRight: '→',
  ArrowLeft: '←',
}

export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  const commands = useAppState((state) => state.commands)
  const lists = useAppState((state) => state.lists)
  const groups = Object.entries(Object.groupBy(commands, ({ group }) => group))
  return (
    <SidePanel open onOpenChange={onClose} title="Keys">
      <Keys title="Everywhere" rows={ALWAYS} />
      {lists.map((list) => (
        <Keys key={list.label} title={`List: ${list.label}`} rows={rowsOfList(list)} />
      ))}
      {groups.map(([group, ofGroup = []]) => (
        <Keys
          key={group}
          title={group}
          rows={ofGroup.flatMap(({ label, keys }) =>
            keys === undefined || keys === '?' ? [] : [[label, keys] as const],
          )}
        />
      ))}
    </SidePanel>
  )
}

function Keys({
  title,
  rows,
}: {
  readonly title: string
  readonly rows: readonly (readonly [label: string, keys: string])[]
}) {
  if (rows.length === 0) return null
  return (
    <section className="mb-4">
      <h3 className="mb-1 text-small text-ink-2">{title}</h3>
      <dl>
        {rows.map(([label, keys]) => (
          <div key={label} className="flex h-7 items-center justify-between">
            <dt>{label}</dt>
            <dd>
              <KeyCaps keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

export function KeyCaps({ keys }: { readonly keys: string }) {
  return (
    <span className="flex shrink-0 gap-1">
      {keys.split(' ').map((key) => (
        <kbd
          key={key}
          className="min-w-5 rounded-[4px] border border-line bg-surface-2 px-1 text-center font-sans text-small text-ink-2"
        >
          {key === 'Escape' ? 'Esc' : key}
        </kbd>
      ))}
    </span>
  )
}
