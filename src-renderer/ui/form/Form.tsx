import { type ChangeEvent, type ComponentProps, type FormEvent, useState } from 'react'
import { Button, type ButtonProps } from '../Button.tsx'
import { ErrorNotice } from '../PageStates.tsx'

type FormProps = Omit<ComponentProps<'form'>, 'onSubmit'> & { readonly onSubmit: () => unknown }

export function Form({ onSubmit, ...form }: FormProps) {
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return <form {...form} onSubmit={submit} />
}

type SubmitProps = Omit<ButtonProps, 'type'> & { readonly error: Error | string | null }

/** The button of a form, below the reason for which the service refused it. */
export function Submit({ error, kind = 'main', className = 'self-end', ...button }: SubmitProps) {
  return (
    <>
      {error !== null && <ErrorNotice error={error} />}
      <Button {...button} kind={kind} type="submit" className={className} />
    </>
  )
}

export function useFields<Texts extends Readonly<Record<string, string>>>(initial: Texts) {
  const [texts, setTexts] = useState(initial)
  const field = (name: keyof Texts) => ({
    value: texts[name],
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) =>
      setTexts((before) => ({ ...before, [name]: target.value })),
  })
  return { texts, setTexts, field }
}
