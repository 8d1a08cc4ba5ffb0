import { type FormEvent, useState } from 'react'
import { variableName } from '../../../../src-main/contract/app.ts'
import type { Place } from '../../../api-client/app-queries.ts'
import { Button } from '../../../ui/Button.tsx'
import { Card } from '../../../ui/Card.tsx'
import { Field } from '../../../ui/Field.tsx'
import { useEnvironmentActions } from '../use-environment-actions.ts'

/** Sets a variable. `name`: the one to be replaced, or empty for a new one. */
export type VariableFormProps = {
  readonly place: Place
  readonly name: string
  readonly existing: readonly string[]
  readonly onDone: () => void
}

/** A name and a value; the value is hidden while it is typed. */
export function VariableForm({ place, name: given, existing, onDone }: VariableFormProps) {
  const { changeVariables } = useEnvironmentActions(place)
  const [name, setName] = useState(given)
  const [value, setValue] = useState('')
  const [stores, setStores] = useState(false)
  const parsed = variableName.safeParse(name)
  const fault = name === '' || parsed.success ? undefined : `The name ${parsed.error.issues[0]?.message}.`
  const replaces = existing.includes(name)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
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
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-3 p-3">
        <Field
          label="Name"
          value={name}
          onChange={(event) => setName(event.target.value)}
          placeholder="MODEL_TOKEN"
          fault={fault}
          required
        />
        <Field
          label="Value"
          type="password"
          value={value}
          onChange={(event) => setValue(event.target.value)}
          hint="Stored encrypted. Nobody can read it here again."
          // The one to be replaced was chosen just now.
          ref={given === '' ? null : focusOnce}
          required
        />
        <div className="flex justify-end gap-2">
          {given !== '' && <Button onClick={onDone}>Keep it</Button>}
          <Button type="submit" disabled={stores || fault !== undefined}>
            {replaces ? 'Replace value' : 'Set variable'}
          </Button>
        </div>
      </form>
    </Card>
  )
}

function focusOnce(input: HTMLInputElement | null): void {
  input?.focus()
}
