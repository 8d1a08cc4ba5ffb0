import clsx from 'clsx'
import { CircleCheck, TriangleAlert, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useApp, useAppState } from '../store/app-context.ts'
import type { Notice } from '../store/app-slices.ts'
import { Button, IconButton } from './Button.tsx'
import { Said } from './PageStates.tsx'

// Time for undo (source: docs/spec/interface.md, 1.2); an error takes longer to read and act on. ms
const SHOWN_MS = { done: 10_000, error: 30_000 } as const

export function Notices() {
  const notices = useAppState((state) => state.notices)
  return (
    <section
      aria-label="Notices"
      aria-live="polite"
      className="fixed right-4 bottom-10 z-50 flex w-96 max-w-[calc(100%-2rem)] flex-col gap-2"
    >
      {notices.map((notice) => (
        <OneNotice key={notice.id} {...notice} />
      ))}
    </section>
  )
}

function OneNotice({ id, kind, text, undo, more }: Notice) {
  const { store, platform } = useApp()
  const { closeNotice } = store.getState()
  // A notice under the pointer or with the focus stays, because it is being read.
  const [isHeld, setIsHeld] = useState(false)
  useEffect(() => {
    if (isHeld) return undefined
    return platform.after(SHOWN_MS[kind], () => closeNotice(id))
  }, [id, kind, isHeld, platform, closeNotice])
  const Icon = kind === 'error' ? TriangleAlert : CircleCheck
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: nothing is done by it, the notice only stays
    <div
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
      className="enters flex items-start gap-2 rounded-control border border-line bg-surface-1 py-2 pr-1 pl-3 shadow-float"
    >
      <Icon
        aria-hidden
        className={clsx('mt-0.5 size-4 shrink-0', kind === 'error' ? 'text-failed' : 'text-completed')}
      />
      <p className="min-w-0 flex-1 break-words">
        <Said text={text} />
      </p>
      <div className="-my-1 flex">
        {more !== undefined && <NoticeButton {...more} onPressed={() => closeNotice(id)} />}
        {undo !== undefined && <NoticeButton label="Undo" run={undo} onPressed={() => closeNotice(id)} />}
        <IconButton label="Close notice" onClick={() => closeNotice(id)}>
          <X />
        </IconButton>
      </div>
    </div>
  )
}

type NoticeButtonProps = { readonly label: string; readonly run: () => void; readonly onPressed: () => void }

function NoticeButton({ label, run, onPressed }: NoticeButtonProps) {
  return (
    <Button
      kind="quiet"
      onClick={() => {
        run()
        onPressed()
      }}
    >
      {label}
    </Button>
  )
}
