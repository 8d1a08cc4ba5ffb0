import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useSearchParams } from 'wouter'
import type { SignInRequestView } from '../../../src-main/contract/sign-in.ts'
import { signInRequestQuery } from '../../api-client/system-queries.ts'
import { useApp } from '../../store/app-context.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Page } from '../../ui/Page.tsx'
import { EmptyState, ErrorNotice, SkeletonRows, Typed } from '../../ui/PageStates.tsx'

const CRUMBS = [{ name: 'Sign in a program' }]

const OUTCOMES: Readonly<Record<Exclude<SignInRequestView['status'], 'PENDING'>, string>> = {
  APPROVED: 'Allowed. The program signs in by itself; you can close this page.',
  CONSUMED: 'The program is signed in. You can close this page.',
  DENIED: 'Refused. The program gets no access.',
  EXPIRED: 'This request has expired. Start it again in the terminal.',
}

/** Target of `rp login`: a signed-in person allows or refuses a program. */
export function SignInPages() {
  const [search] = useSearchParams()
  const id = search.get('request') ?? ''
  return (
    <Page crumbs={CRUMBS}>
      <div className="mx-auto flex w-full max-w-xl flex-col gap-4">
        {id === '' ? (
          <EmptyState command="rp login">No program has asked for access. A sign-in starts in a terminal:</EmptyState>
        ) : (
          <SignInRequest id={id} />
        )}
      </div>
    </Page>
  )
}

function SignInRequest({ id }: { readonly id: string }) {
  const { client } = useApp()
  const queries = useQueryClient()
  const { data, error } = useQuery(signInRequestQuery(client, id))
  const decide = useMutation({
    mutationFn: (allow: boolean) => client.call('signInRequestDecide', { path: { requestId: id }, body: { allow } }),
    onSettled: () => void queries.invalidateQueries({ queryKey: ['sign-in-request', id] }),
  })
  const problem = decide.error ?? error
  return (
    <>
      {problem !== null && <ErrorNotice error={problem} />}
      {data === undefined && error === null && <SkeletonRows rows={3} />}
      {data !== undefined && (
        <Card title="A program asks for access">
          {data.status === 'PENDING' ? (
            <Decision onDecide={decide.mutate} isBusy={decide.isPending} />
          ) : (
            <p role="status" className="p-3">
              {OUTCOMES[data.status]}
            </p>
          )}
        </Card>
      )}
    </>
  )
}

function Decision({ onDecide, isBusy }: { readonly onDecide: (allow: boolean) => void; readonly isBusy: boolean }) {
  return (
    <div className="flex flex-col gap-3 p-3">
      <p>
        Allow it only if you have just started <Typed command="rp login" /> or another tool of the platform yourself. It
        gets the account key of this Drydock, which gives full access to it, and stores it on this machine.
      </p>
      <div className="flex gap-2">
        <Button kind="main" onClick={() => onDecide(true)} disabled={isBusy}>
          Allow
        </Button>
        <Button onClick={() => onDecide(false)} disabled={isBusy}>
          Refuse
        </Button>
      </div>
    </div>
  )
}
