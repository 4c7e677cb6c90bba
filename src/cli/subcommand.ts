import type { Command } from 'commander';

/** Adds a subcommand's arguments, options and action to it. */
export type Subcommand = (command: Command) => void;
