import * as ToggleGroup from '@radix-ui/react-toggle-group'
import clsx from 'clsx'
import { Link } from 'wouter'

export type TabsProps = {
  readonly label: string
  readonly tabs: readonly { readonly name: string; readonly to: string; readonly current: boolean }[]
}

export function Tabs({ label, tabs }: TabsProps) {
  return (
    <nav aria-label={label} className="-mb-px flex gap-1 overflow-x-auto">
      {tabs.map(({ name, to, current }) => (
        <Link
          key={name}
          to={to}
          aria-current={current ? 'page' : undefined}
          className={clsx(
            'border-b-2 px-2 py-1.5 whitespace-nowrap -outline-offset-2',
            current
              ? 'border-accent font-medium text-ink'
              : 'border-transparent text-ink-2 hover:border-line-strong hover:text-ink',
          )}
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}

type SegmentedChoiceProps<Choice extends string> = {
  readonly label: string
  readonly choices: readonly Choice[]
  readonly value: Choice
  readonly onChange: (choice: Choice) => void
}

export function SegmentedChoice<Choice extends string>({
  label,
  choices,
  value,
  onChange,
}: SegmentedChoiceProps<Choice>) {
  return (
    <ToggleGroup.Root
      type="single"
      aria-label={label}
      value={value}
      // Ignores a press on the selected item, which would deselect it.
      onValueChange={(chosen) => chosen !== '' && onChange(chosen as Choice)}
      className="inline-flex max-w-full flex-wrap rounded-control border border-line bg-surface-1 p-0.5"
    >
      {choices.map((choice) => (
        <ToggleGroup.Item
          key={choice}
          value={choice}
          className={clsx(
            'h-6 rounded-[4px] px-2 text-small whitespace-nowrap text-ink-2 hover:text-ink',
            'data-[state=on]:bg-accent-soft data-[state=on]:font-medium data-[state=on]:text-ink',
          )}
        >
          {choice}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
