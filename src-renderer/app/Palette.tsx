import { Command as Cmdk } from 'cmdk'
import { useMemo, useState } from 'react'
import { useApp, useAppState } from '../store/app-context.ts'
import { noteUsed, readHabits } from '../store/habits.ts'
import { FoundText } from '../ui/jobs/JobCells.tsx'
import { StateDot } from '../ui/StateDot.tsx'
import { WideDialog } from '../ui/WideDialog.tsx'
import { arrange, type Entry, type EntryGroup } from './arrange-palette.ts'
import { useJobEntries, useThingEntries } from './palette-entries.ts'
import { KeyCaps } from './ShortcutSheet.tsx'

const GROUP_STYLE =
  '[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-small [&_[cmdk-group-heading]]:text-ink-2'

const NAMED = 'aria-activedescendant'

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const { platform } = useApp()
  const [typed, setTyped] = useState('')
  const groups = useGroups(typed)
  const choose = ({ id, run }: Entry) => {
    noteUsed(platform, id)
    onClose()
    run()
  }
  return (
    <WideDialog title="All actions" hidesTitle size="list" onClose={onClose}>
      <Cmdk ref={nameSelection} label="All actions" loop shouldFilter={false}>
        <Cmdk.Input
          value={typed}
          onValueChange={setTyped}
          placeholder="What do you want to do?"
          className="h-11 w-full border-b border-line bg-transparent px-4 outline-none"
        />
        <Cmdk.List className="max-h-[50vh] overflow-y-auto p-1">
          <Cmdk.Empty className="px-3 py-6 text-center text-ink-2">No matches.</Cmdk.Empty>
          {groups.map(({ group, entries }) => (
            <Cmdk.Group key={group} heading={group} className={GROUP_STYLE}>
              {entries.map((entry) => (
                <EntryRow key={entry.id} entry={entry} onChoose={choose} />
              ))}
            </Cmdk.Group>
          ))}
        </Cmdk.List>
      </Cmdk>
    </WideDialog>
  )
}

function useGroups(typed: string): readonly EntryGroup[] {
  const { platform } = useApp()
  const [{ uses, opened }] = useState(() => readHabits(platform))
  const offered = useAppState((state) => state.commands)
  const finders = useAppState((state) => state.finders)
  const things = useThingEntries(opened)
  const jobs = useJobEntries(typed)
  return useMemo(() => {
    const found = typed.trim() === '' ? [] : finders.flatMap((find) => find(typed))
    return arrange([...offered, ...things, ...jobs, ...found], { typed, uses, now: platform.now() })
  }, [offered, finders, things, jobs, typed, uses, platform])
}

/** Keeps the selected entry named for screen readers, because cmdk reads its id before entries are redrawn. */
function nameSelection(root: HTMLElement | null): (() => void) | undefined {
  if (root === null) return
  const observer = new MutationObserver(() => {
    const selected = root.querySelector('[role="option"][aria-selected="true"]')
    for (const owner of root.querySelectorAll('[role="combobox"], [role="listbox"]')) {
      if (owner.getAttribute(NAMED) === (selected?.id ?? null)) continue
      if (selected === null) owner.removeAttribute(NAMED)
      else owner.setAttribute(NAMED, selected.id)
    }
  })
  observer.observe(root, { subtree: true, childList: true, attributeFilter: ['aria-selected', NAMED] })
  return () => observer.disconnect()
}

function EntryRow({ entry, onChoose }: { readonly entry: Entry; readonly onChoose: (entry: Entry) => void }) {
  const { id, label, title, detail, found, state, keys } = entry
  return (
    <Cmdk.Item
      value={id}
      onSelect={() => onChoose(entry)}
      className="flex h-8 cursor-pointer items-center justify-between gap-4 rounded-control px-2 data-[selected=true]:bg-accent-soft"
    >
      <span className="min-w-0 truncate" title={title === undefined ? detail : `${title} ${detail}`}>
        {title === undefined ? (
          label
        ) : (
          <>
            <span aria-hidden>{label}</span>
            <span className="sr-only">{title}</span>
          </>
        )}
        {detail !== undefined && <span className="ml-2 text-small text-ink-2">{detail}</span>}
        {state !== undefined &&
          found?.map((one) => (
            <span key={one.in} className="ml-2 text-small">
              <FoundText found={one} tone={state.tone} />
            </span>
          ))}
      </span>
      {state !== undefined && <StateDot {...state} />}
      {keys !== undefined && <KeyCaps keys={keys} />}
    </Cmdk.Item>
  )
}
