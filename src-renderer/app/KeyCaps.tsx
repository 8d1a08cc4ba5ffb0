/** Keys to be pressed one after the other, like `g e`. */
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
