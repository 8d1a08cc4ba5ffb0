import clsx from 'clsx'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { ReleaseView } from '../../../../src-main/contract/app.ts'
import { ADDRESS } from '../../../addresses.ts'
import type { Place } from '../../../api-client/app-queries.ts'
import { CopyButton } from '../../../ui/CopyButton.tsx'
import { duration } from '../../../ui/format.ts'
import { StateDot } from '../../../ui/StateDot.tsx'
import { RelativeTime } from '../../../ui/Values.tsx'
import { asSentence } from '../release/as-sentence.ts'
import { CommitLine } from '../release/CommitLine.tsx'
import { RELEASE_DOTS } from '../release/release-state.ts'

/** A release in the list. */
export type ReleaseRowProps = {
  readonly place: Place
  readonly release: ReleaseView
  readonly isShown: boolean
  readonly action: ReactNode
}

const SHORT = 12

/** One release: its state, when, what made it, what it is made of, and why it failed. */
export function ReleaseRow({ place: { app, environment }, release, isShown, action }: ReleaseRowProps) {
  const { number, state, createdAt, activatedAt, git, reason, fingerprint, runsOn, pythonVersion } = release
  return (
    <li
      aria-current={isShown ? 'true' : undefined}
      className={clsx(
        'flex flex-col gap-0.5 border-b border-line/60 px-3 py-1.5 last:border-0',
        isShown && 'bg-accent-soft',
      )}
    >
      <div className="flex min-h-7 flex-wrap items-center gap-x-4 gap-y-1">
        <Link
          to={`${ADDRESS.environment(app, environment, 'releases')}?release=${number}`}
          className="w-24 font-medium hover:underline"
        >
          Release {number}
        </Link>
        <span className="w-28">
          <StateDot {...RELEASE_DOTS[state]} />
        </span>
        <span className="w-24 text-ink-2">
          <RelativeTime at={createdAt} />
        </span>
        <span className="w-28 text-ink-2">{kindText(release)}</span>
        <span className="w-28 whitespace-nowrap text-ink-2">
          {activatedAt !== undefined && `ready in ${duration(activatedAt - createdAt)}`}
        </span>
        <span className="flex items-center gap-1 text-ink-2">
          <code className="font-mono text-small">{fingerprint.slice(0, SHORT)}</code>
          <CopyButton text={fingerprint} what={`fingerprint of release ${number}`} />
        </span>
        <span className="text-small text-ink-2">
          Python {pythonVersion}, {runsOn}
        </span>
        <span className="ml-auto">{action}</span>
      </div>
      {git !== undefined && <CommitLine git={git} />}
      {reason !== undefined && state === 'failed' && (
        <p className="text-small break-words whitespace-pre-wrap text-failed-ink">{asSentence(reason)}</p>
      )}
    </li>
  )
}

function kindText({ kind, rollbackOf }: ReleaseView): string {
  if (kind === 'variables') return 'Variables'
  return kind === 'rollback' ? `Roll back to ${rollbackOf}` : 'Deploy'
}
