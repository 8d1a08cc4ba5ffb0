import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { type EnvironmentDetail, variableName } from '../../../../src-main/contract/app.ts'
import { ADDRESS } from '../../../addresses.ts'
import type { AppTarget } from '../../../api-client/app-queries.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Confirm } from '../../../ui/Dialog.tsx'
import { Field } from '../../../ui/form/Field.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { EmptyState, WarningNotice } from '../../../ui/PageStates.tsx'
import { RelativeTime } from '../../../ui/Values.tsx'
import { useEnvironmentActions } from '../use-environment-actions.ts'

export type VariablesTabProps = { readonly detail: EnvironmentDetail; readonly target: AppTarget }

export function VariablesTab({ detail, target }: VariablesTabProps) {
  const { variables } = detail
  const { changeVariables } = useEnvironmentActions(target)
  const [name, setName] = useState('')
  const [asksFor, setAsksFor] = useState<string>()
  const [removed, setRemoved] = useState(false)
  const remove = async (gone: string) => {
    if (await changeVariables({ remove: [gone] })) setRemoved(true)
  }
  return (
    <>
      <ReleaseNotice detail={detail} target={target} removed={removed} />
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <Card title="Variables" aside={<span className="text-small text-ink-2">values are never shown</span>}>
          {variables.length === 0 ? (
            <EmptyState icon={<KeyRound />} command={`drydock env set NAME=value --app ${target.app}`}>
              There are no variables yet. They are stored encrypted and given to every worker of this environment.
            </EmptyState>
          ) : (
            <ul aria-label="Variables" className="flex flex-col">
              {variables.map((variable) => (
                <li
                  key={variable.name}
                  className="flex min-h-9 flex-wrap items-center gap-3 border-b border-line/60 px-3 py-1 last:border-0"
                >
                  <code className="min-w-0 flex-1 font-mono text-small break-all">{variable.name}</code>
                  <span className="text-small text-ink-2">
                    set <RelativeTime at={variable.updatedAt} />
                  </span>
                  <Button kind="quiet" aria-label={`Replace ${variable.name}`} onClick={() => setName(variable.name)}>
                    Replace
                  </Button>
                  <Button kind="quiet" aria-label={`Remove ${variable.name}`} onClick={() => setAsksFor(variable.name)}>
                    Remove
                  </Button>
                </li>
              ))}
            </ul>
          )}
        </Card>
        <VariableForm
          key={name}
          target={target}
          name={name}
          existing={variables.map((variable) => variable.name)}
          onDone={() => setName('')}
        />
      </div>
      {asksFor !== undefined && (
        <Confirm
          open
          onOpenChange={() => setAsksFor(undefined)}
          action={`Remove variable ${asksFor}`}
          onConfirm={() => void remove(asksFor)}
        >
          Its value is deleted. Workers keep it until the next release.
        </Confirm>
      )}
    </>
  )
}

function ReleaseNotice({ detail, target, removed }: VariablesTabProps & { readonly removed: boolean }) {
  const { active, variables, releases } = detail
  const [, go] = useLocation()
  const { release } = useEnvironmentActions(target)
  const [asked, setAsked] = useState(false)
  if (active === undefined)
    return variables.length === 0 ? null : (
      <WarningNotice>Nothing is deployed here yet. Workers get the variables with the first release.</WarningNotice>
    )
  const newer = variables.filter(({ updatedAt }) => updatedAt > active.createdAt).map(({ name }) => name)
  if (newer.length === 0 && !removed) return null
  const preparing = releases.some(({ state }) => state === 'preparing')
  const releaseNow = async () => {
    setAsked(true)
    const number = await release({ active: true })
    setAsked(false)
    if (number !== undefined) go(`${ADDRESS.environment(target.app, target.environment, 'releases')}?release=${number}`)
  }
  return (
    <WarningNotice
      action={
        <Button kind="main" onClick={() => void releaseNow()} disabled={asked || preparing}>
          Release with these variables
        </Button>
      }
    >
      {newer.length === 0 ? 'Variables were removed' : `${newer.join(', ')} changed`} since release {active.number}.
      Workers get the change with the next release; its code stays the same.
    </WarningNotice>
  )
}

type VariableFormProps = {
  readonly target: AppTarget
  readonly name: string
  readonly existing: readonly string[]
  readonly onDone: () => void
}

function VariableForm({ target, name: given, existing, onDone }: VariableFormProps) {
  const { changeVariables } = useEnvironmentActions(target)
  const [name, setName] = useState(given)
  const [value, setValue] = useState('')
  const [stores, setStores] = useState(false)
  const parsed = variableName.safeParse(name)
  const problem = name === '' || parsed.success ? undefined : `The name ${parsed.error.issues[0]?.message}.`
  const replaces = existing.includes(name)
  const submit = async () => {
    setStores(true)
    const isStored = await changeVariables({ set: { [name]: value } })
    setStores(false)
    if (!isStored) return
    setName('')
    setValue('')
    onDone()
  }
  return (
    <Card title={given === '' ? 'Set a variable' : `Replace ${given}`}>
      <Form onSubmit={submit} className="flex flex-col gap-3 p-3">
        <Field
          label="Name"
          value={name}
          onChange={(event) => setName(event.target.value)}
          placeholder="MODEL_TOKEN"
          problem={problem}
          required
        />
        <Field
          label="Value"
          type="password"
          value={value}
          onChange={(event) => setValue(event.target.value)}
          hint="Stored encrypted and never shown again."
          ref={given === '' ? null : focusOnce}
          required
        />
        <div className="flex justify-end gap-2">
          {given !== '' && <Button onClick={onDone}>Keep it</Button>}
          <Button type="submit" disabled={stores || problem !== undefined}>
            {replaces ? 'Replace value' : 'Set variable'}
          </Button>
        </div>
      </Form>
    </Card>
  )
}

function focusOnce(input: HTMLInputElement | null): void {
  input?.focus()
}
