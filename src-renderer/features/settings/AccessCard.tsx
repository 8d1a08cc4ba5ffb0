import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { counted } from '../../../src-main/lib/text.ts'
import { sessionsQuery } from '../../api-client/system-queries.ts'
import { useApp } from '../../store/app-context.ts'
import { Button, CopyButton } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Confirm } from '../../ui/Dialog.tsx'
import { ErrorNotice, Typed } from '../../ui/PageStates.tsx'

type Asked = 'rotate' | 'everywhere'

export function AccessCard() {
  const { client, store, platform } = useApp()
  const queries = useQueryClient()
  const { data: sessions } = useQuery(sessionsQuery(client))
  const [asked, setAsked] = useState<Asked>()
  const leave = () => store.getState().setConnection('signed-out', platform.now())
  const rotate = useMutation({ mutationFn: () => client.call('keyRotate'), onSuccess: leave })
  const signOut = useMutation({ mutationFn: () => client.call('sessionEnd'), onSuccess: leave })
  const everywhere = useMutation({
    mutationFn: () => client.call('sessionsEnd'),
    onSuccess: leave,
    onError: () => void queries.invalidateQueries({ queryKey: ['sessions'] }),
  })
  const error = rotate.error ?? signOut.error ?? everywhere.error
  return (
    <Card title="Access">
      {error !== null && <ErrorNotice error={error} className="m-3" />}
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 px-3 py-2.5">
        <div className="min-w-0 flex-1 basis-80">
          <h3 className="font-medium">Account key</h3>
          <p className="text-small text-ink-2">
            It gives full access. It is stored in the file below, which only you can read, and is never shown here.
          </p>
          {sessions !== undefined && (
            <p className="flex items-center gap-1 font-mono text-small break-all">
              {sessions.keyFile}
              <CopyButton text={sessions.keyFile} what="path" />
            </p>
          )}
        </div>
        <Button kind="danger" onClick={() => setAsked('rotate')} disabled={rotate.isPending}>
          New account key
        </Button>
      </div>
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-2 border-t border-line px-3 py-2.5">
        <div className="min-w-0 flex-1 basis-80">
          <h3 className="font-medium">Signed-in browsers</h3>
          <p className="text-small text-ink-2">
            {sessions === undefined ? 'This one' : `${counted(sessions.open, 'browser')}, with this one`}. A browser
            stays signed in for 30 days. <Typed command="drydock open" /> signs one in.
          </p>
        </div>
        <div className="flex gap-2">
          <Button onClick={() => signOut.mutate()} disabled={signOut.isPending}>
            Sign out here
          </Button>
          <Button kind="danger" onClick={() => setAsked('everywhere')} disabled={everywhere.isPending}>
            Sign out everywhere
          </Button>
        </div>
      </div>
      <Confirm
        open={asked === 'rotate'}
        onOpenChange={() => setAsked(undefined)}
        action="Make a new account key"
        onConfirm={() => rotate.mutate()}
      >
        The old key stops working at once: programs that use it get status 401, and all browsers are signed out,
        including this one. Workers that call other endpoints get the new key at their next start. Keys of endpoints do
        not change.
      </Confirm>
      <Confirm
        open={asked === 'everywhere'}
        onOpenChange={() => setAsked(undefined)}
        action="Sign out everywhere"
        onConfirm={() => everywhere.mutate()}
      >
        All browsers are signed out, including this one. Keys do not change. Sign in again with{' '}
        <Typed command="drydock open" />.
      </Confirm>
    </Card>
  )
}
