import type { Command } from 'commander';

/** Adds a subcommand's arguments, options and action to it. */
export type Subcommand = (command: Command) => void;

/** One line for each subcommand. Its file is imported only when it is called, so that the others start quickly. */
export type Subcommands = Readonly<Record<string, { summary: string; load: () => Promise<{ default: Subcommand }> }>>;
