"""Passphrases typed on a terminal: not echoed, asked for as often as is said, stopped by Ctrl-C."""

import signal

import files
import swap_area
from sealing import PASSPHRASE, WRONG, SealedTest, line
from terminal import Terminal
from tool_test import main

PROMPT = r"passphrase[^\n]*: "
AGAIN = r"the same again: "
UNEQUAL = "the two are not the same"
NOT_OPENED = "does not open it"
ENTER = b"\r"
CTRL_C, CTRL_U, BACKSPACE = b"\x03", b"\x15", b"\x7f"


class Typed(SealedTest):
    """s2disk asks twice, resume up to three times."""

    pages = 70

    def check_end(self, terminal, code):
        """It ended with this code, showed nothing that was typed, and left the terminal as it was."""
        self.assertEqual(terminal.end(), code, terminal.screen)
        for secret in (PASSPHRASE, WRONG):
            self.assertNotIn(secret.decode(), terminal.screen)
        self.assertTrue(terminal.echoes())

    def sealing(self, *options):
        return Terminal(self.s2disk_command("--encrypt", *options, "--progress", "none"))

    def opening(self):
        return Terminal(self.resume_command("--verify", "--progress", "none"))

    def test_there_and_back(self):
        with self.sealing() as terminal:
            terminal.wait_for(PROMPT)
            self.assertFalse(terminal.echoes())
            terminal.type(PASSPHRASE + ENTER)
            terminal.wait_for(AGAIN)
            self.assertFalse(terminal.echoes())
            terminal.type(PASSPHRASE + ENTER)
            self.check_end(terminal, 0)
        with self.opening() as terminal:
            terminal.wait_for(PROMPT)
            self.assertFalse(terminal.echoes())
            terminal.type(PASSPHRASE + ENTER)
            self.check_end(terminal, 0)
        self.recover(typed=line(PASSPHRASE))

    def test_two_that_do_not_agree(self):
        before = files.digest(self.area)
        with self.sealing() as terminal:
            for times in (1, 2, 3):
                terminal.wait_for(PROMPT, times)
                terminal.type(PASSPHRASE + ENTER)
                terminal.wait_for(AGAIN, times)
                terminal.type(WRONG + ENTER)
                terminal.wait_for(UNEQUAL, times)
            self.check_end(terminal, 2)
        self.assertEqual(files.digest(self.area), before)
        with self.sealing() as terminal:
            for times, second in ((1, WRONG), (2, PASSPHRASE)):
                terminal.wait_for(PROMPT, times)
                terminal.type(PASSPHRASE + ENTER)
                terminal.wait_for(AGAIN, times)
                terminal.type(second + ENTER)
            self.check_end(terminal, 0)
        self.recover(typed=line(PASSPHRASE))

    def test_three_tries(self):
        self.s2disk("--encrypt", typed=line(PASSPHRASE))
        with self.opening() as terminal:
            for times in (1, 2, 3):
                terminal.wait_for(PROMPT, times)
                terminal.type(WRONG + ENTER)
            self.check_end(terminal, 3)
            self.assertIn(NOT_OPENED, terminal.screen)
        with self.opening() as terminal:
            terminal.wait_for(PROMPT)
            terminal.type(WRONG + ENTER)
            terminal.wait_for(NOT_OPENED)
            terminal.wait_for(PROMPT, 2)
            terminal.type(PASSPHRASE + ENTER)
            self.check_end(terminal, 0)

    def test_ctrl_c(self):
        before = files.digest(self.area)
        for typed in (b"", b"nine"):
            with self.subTest(typed=typed), self.sealing() as terminal:
                terminal.wait_for(PROMPT)
                terminal.type(typed + CTRL_C)
                self.check_end(terminal, 4)
        with self.sealing() as terminal:
            terminal.wait_for(PROMPT)
            terminal.type(PASSPHRASE + ENTER)
            terminal.wait_for(AGAIN)
            terminal.type(CTRL_C)
            self.check_end(terminal, 4)
        self.assertEqual(files.digest(self.area), before)
        self.s2disk("--encrypt", typed=line(PASSPHRASE))
        with self.opening() as terminal:
            terminal.wait_for(PROMPT)
            terminal.type(CTRL_C)
            self.check_end(terminal, 4)
        self.assertEqual(swap_area.signature(self.area), swap_area.MARK)

    def test_a_signal_while_it_asks(self):
        before = files.digest(self.area)
        with self.sealing() as terminal:
            terminal.wait_for(PROMPT)
            terminal.send(signal.SIGTERM)
            self.check_end(terminal, 4)
        self.assertEqual(files.digest(self.area), before)

    def test_slips_of_the_finger(self):
        with self.sealing() as terminal:
            terminal.wait_for(PROMPT)
            terminal.type(b"qqq" + CTRL_U + PASSPHRASE + b"zz" + BACKSPACE * 2 + ENTER)
            terminal.wait_for(AGAIN)
            terminal.type(PASSPHRASE[:-1] + "\u00e4".encode() + BACKSPACE + PASSPHRASE[-1:] + ENTER)
            self.check_end(terminal, 0)
        self.recover(typed=line(PASSPHRASE))

    def test_an_empty_one_is_not_taken(self):
        with self.sealing() as terminal:
            terminal.wait_for(PROMPT)
            terminal.type(ENTER)
            terminal.wait_for(PROMPT, 2)
            terminal.type(PASSPHRASE + ENTER)
            terminal.wait_for(AGAIN)
            terminal.type(PASSPHRASE + ENTER)
            self.check_end(terminal, 0)
        self.recover(typed=line(PASSPHRASE))

    def test_a_key_file_asks_nobody(self):
        with self.sealing("--key-file", self.raw_file) as terminal:
            self.assertEqual(terminal.end(), 0)
            self.assertNotIn("passphrase", terminal.screen)


if __name__ == "__main__":
    main()
